/**
 * Checks a value: `null` if it is valid, else the place of the problem: `''` is the value itself,
 * `.limits.timeoutMs` a part of it.
 */
export type Shape = (value: unknown) => string | null;

/**
 * Creates a check for data that troupe itself wrote, where loading a schema library would cost more than
 * reading. User input is checked by zod.
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

/** Checks an object with any names. */
export function mapOf(shape: Shape): Shape {
  return (value) => {
    if (!isObject(value)) return '';
    return firstWrong(Object.entries(value).map(([name, item]) => [name, shape(item)]));
  };
}

/** Checks an object with at least these fields. */
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

/** Checks an object whose named field selects one of the shapes. */
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
