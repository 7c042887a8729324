import type { AnyStateNode, InspectionEvent } from 'xstate';

/** Returns the label of an action: its name and its first text parameter, `armDeadline grace`. */
export function toActionLabel(action: unknown, eventType: string): string {
  const { type, params } = toReference(action);
  const values = isParamsFunction(params) ? askForParams(params, eventType) : params;
  const word = Object.values(Object(values)).find((value) => typeof value === 'string' && value !== '');
  return [toWord(type), word].filter((part) => part !== undefined).join(' ');
}

/** Returns the label of a guard: its name, or an expression of names; `null` without a guard. */
export function toGuardLabel(guard: unknown): string | null {
  if (guard === undefined) return null;
  const { type } = toReference(guard);
  const parts = partsOf(guard).map(toGuardLabel);
  if (parts.length === 0) return type;
  return type === 'not' ? `not ${parts.join(' ')}` : `(${parts.join(` ${type} `)})`;
}

/** Transition as a microstep of XState reports it. */
export interface TakenTransition {
  readonly source: AnyStateNode;
  readonly target: readonly AnyStateNode[] | undefined;
  readonly guard?: unknown;
}

/** Returns the transitions that a microstep took. */
export function takenIn(
  event: Extract<InspectionEvent, { type: '@xstate.microstep' }>,
): readonly TakenTransition[] {
  return event._transitions as readonly TakenTransition[];
}

/** Returns the labels of the guards that chose. */
export function toGuardLabels(transitions: readonly TakenTransition[]): readonly string[] {
  return transitions.flatMap(({ guard }) => toGuardLabel(guard) ?? []);
}

/** Returns the label of an event. Names that xstate generates are put into words. */
export function toEventLabel(eventType: string): string {
  const [origin, kind, of, ...rest] = eventType.split('.');
  if (origin !== 'xstate') return eventType;
  const name = rest.join('.');
  if (of === 'actor') return `${name} ${kind === 'error' ? 'broke' : 'is done'}`;
  if (of === 'state') return `${name} is done`;
  if (kind === 'after' && /^\d+$/.test(of ?? '')) return `after ${of} ms`;
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

/** Removes the prefix of built-in actions such as `xstate.assign`. */
function toWord(type: string): string {
  return type.startsWith('xstate.') ? type.slice('xstate.'.length) : type;
}

/** Returns the guards that `and`, `or` or `not` combines, which are in a field of its function. */
function partsOf(guard: unknown): readonly unknown[] {
  return typeof guard === 'function' && 'guards' in guard && Array.isArray(guard.guards) ? guard.guards : [];
}

function isParamsFunction(params: unknown): params is Params {
  return typeof params === 'function';
}

/** Calls a parameter function with probes; `null` if it throws. */
function askForParams(params: Params, eventType: string): unknown {
  try {
    return params({ context: createProbe(), event: createProbe({ type: eventType }) });
  } catch {
    return null;
  }
}

/**
 * Creates a probe, which can stand for any value: its properties and its results are probes too, and as a number it is 1. Called with
 * probes, the parameter functions of a chart return their constant words.
 *
 * @param known properties with real values.
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
