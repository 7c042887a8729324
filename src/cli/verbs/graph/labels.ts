/** How an action reads in a picture: its name and the first word among its parameters, `armDeadline grace`. */
export function toActionLabel(action: unknown, eventType: string): string {
  const { type, params } = toReference(action);
  const values = isParamsFunction(params) ? askForParams(params, eventType) : params;
  const word = Object.values(Object(values)).find((value) => typeof value === 'string' && value !== '');
  return [toWord(type), word].filter((part) => part !== undefined).join(' ');
}

/** How a guard reads in a picture: its name, or an expression of names. `null` where there is none. */
export function toGuardLabel(guard: unknown): string | null {
  if (guard === undefined) return null;
  const { type } = toReference(guard);
  const parts = partsOf(guard).map(toGuardLabel);
  if (parts.length === 0) return type;
  return type === 'not' ? `not ${parts.join(' ')}` : `(${parts.join(` ${type} `)})`;
}

/** How an event reads in a picture: the names that xstate makes for itself are put into words. */
export function toEventLabel(eventType: string): string {
  const [origin, kind, of, ...rest] = eventType.split('.');
  if (origin !== 'xstate') return eventType;
  const name = rest.join('.');
  if (of === 'actor') return `${name} ${kind === 'error' ? 'broke' : 'is done'}`;
  if (of === 'state') return `${name} is done`;
  if (kind === 'after') return `after ${[of, ...rest].slice(0, -1).join('.')}`;
  return eventType;
}

type Params = (scope: { context: unknown; event: unknown }) => unknown;

function toReference(reference: unknown): { type: string; params?: unknown } {
  if (typeof reference === 'string') return { type: reference };
  if (typeof reference === 'function') {
    const { type } = reference as { type?: unknown };
    return { type: typeof type === 'string' ? type : reference.name || 'unnamed' };
  }
  return reference as { type: string; params?: unknown };
}

/** Built-in actions written in place are called `xstate.assign` and the like. */
function toWord(type: string): string {
  return type.startsWith('xstate.') ? type.slice('xstate.'.length) : type;
}

/** `and`, `or` and `not` keep what they combine in a field of their function. */
function partsOf(guard: unknown): readonly unknown[] {
  return typeof guard === 'function' && 'guards' in guard && Array.isArray(guard.guards) ? guard.guards : [];
}

function isParamsFunction(params: unknown): params is Params {
  return typeof params === 'function';
}

/** A function that cannot live with a probe has no word to say. */
function askForParams(params: Params, eventType: string): unknown {
  try {
    return params({ context: createProbe(), event: createProbe({ type: eventType }) });
  } catch {
    return null;
  }
}

/**
 * A value that stands for any value: every property of it, and what it returns when called, is a probe again, and as
 * a number it is 1. With it a chart's parameter functions can be asked for the words they always say.
 *
 * @param known properties that are answered truly.
 */
export function createProbe(known: Readonly<Record<string, unknown>> = {}): unknown {
  const probe: unknown = new Proxy(() => probe, {
    get: (_, key) => {
      if (key === Symbol.toPrimitive) return () => 1;
      return typeof key === 'string' && Object.hasOwn(known, key) ? known[key] : probe;
    },
  });
  return probe;
}
