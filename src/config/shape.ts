/** Looks at a value: `null` when it is right, else where it is wrong: `''` is the value itself, `.limits.timeoutMs` a part of it. */
export type Shape = (value: unknown) => string | null;

/**
 * A few checks for what we wrote ourselves and read again, where loading a schema library would cost more than all the reading. What
 * people write is checked by zod.
 */
const check =
  (isRight: (value: unknown) => boolean): Shape =>
  (value) =>
    isRight(value) ? null : '';

export const text: Shape = check((value) => typeof value === 'string');
export const flag: Shape = check((value) => typeof value === 'boolean');
export const number: Shape = check((value) => typeof value === 'number' && Number.isFinite(value));
export const anything: Shape = () => null;

export function matching(pattern: RegExp): Shape {
  return check((value) => typeof value === 'string' && pattern.test(value));
}

export function atLeast(least: number): Shape {
  return check((value) => typeof value === 'number' && Number.isFinite(value) && value >= least);
}

export function oneOf(...values: readonly string[]): Shape {
  const all = new Set<unknown>(values);
  return check((value) => all.has(value));
}

export function orNull(shape: Shape): Shape {
  return (value) => (value === null ? null : shape(value));
}

export function optional(shape: Shape): Shape {
  return (value) => (value === undefined ? null : shape(value));
}

export function listOf(shape: Shape): Shape {
  return (value) => {
    if (!Array.isArray(value)) return '';
    return firstWrong(value.map((item, index) => [String(index), shape(item)]));
  };
}

/** An object with any names. */
export function mapOf(shape: Shape): Shape {
  return (value) => {
    if (!isObject(value)) return '';
    return firstWrong(Object.entries(value).map(([name, item]) => [name, shape(item)]));
  };
}

/** An object with at least these. */
export function object(shapes: Readonly<Record<string, Shape>>): Shape {
  const entries = Object.entries(shapes);
  return (value) => {
    if (!isObject(value)) return '';
    for (const [name, shape] of entries) {
      const wrong = shape(value[name]);
      if (wrong !== null) return `.${name}${wrong}`;
    }
    return null;
  };
}

/** An object whose field of that name says which of the shapes it has. */
export function oneBy(name: string, shapes: Readonly<Record<string, Shape>>): Shape {
  return (value) => {
    const which = isObject(value) ? value[name] : null;
    if (typeof which !== 'string' || !Object.hasOwn(shapes, which)) return `.${name}`;
    return shapes[which]?.(value) ?? null;
  };
}

function firstWrong(parts: readonly (readonly [string, string | null])[]): string | null {
  const found = parts.find(([, wrong]) => wrong !== null);
  return found === undefined ? null : `.${found[0]}${found[1]}`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
