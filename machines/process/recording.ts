import type {
  EndReason,
  KillReceipt,
  LimitName,
  ProcessContext,
  ProcessSignal,
  Requester,
  StopOrder,
} from './context.ts';
import type { ProcessEvent, SignalReason } from './events.ts';
import { backoffMs, isCleanExit, nextSeed, recentRestarts, toChance } from './restart.ts';

/** Returns what an event adds to the context; `{}` for other events. */
type Recorder = (context: ProcessContext, event: ProcessEvent) => Partial<ProcessContext>;

const POLITE: ProcessSignal = 'SIGTERM';

export const recordSpawn: Recorder = (_, event) =>
  event.type === 'process.spawned'
    ? { pid: event.pid, pgid: event.pgid, held: event.held ?? null, spawnedAtMs: event.atMs }
    : {};

/** Counts times from the real start, so that limits keep only their rest. */
export const recordAdoption: Recorder = (_, event) =>
  event.type === 'process.adopted'
    ? {
        pid: event.pid,
        pgid: event.pgid,
        held: event.held ?? null,
        spawnedAtMs: event.startedAtMs,
        pause: event.isPaused ? 'proven' : null,
      }
    : {};

export const recordSpawnFailure: Recorder = (_, event) => {
  if (event.type !== 'process.spawnFailed') return {};
  const { cause, code, message } = event;
  // Without a process there is nothing that could still print.
  return { spawnFailure: { type: 'spawnFailed', cause, code, message }, outputEnded: true };
};

export const recordExit: Recorder = (_, event) =>
  event.type === 'process.exited'
    ? {
        exit: event.exit,
        exitedAtMs: event.exitedAtMs ?? null,
        exceeded: event.exceeded ?? null,
        ...event.facts,
      }
    : {};

export const recordLeftovers: Recorder = (_, event) => {
  if (event.type === 'tree.surveyed') return { leftovers: event.leftovers, suspects: event.suspects ?? [] };
  if (event.type === 'tree.seen') return { leftovers: event.alive };
  if (event.type === 'tree.gone')
    return { leftovers: [], suspects: event.suspects ?? [], leftoversEnded: event.ended };
  return {};
};

/** Records the living members. After the end of the process they are its leftovers as well. */
export const recordSeen: Recorder = ({ endStatus }, event) => {
  if (event.type !== 'tree.seen') return {};
  return { survivors: event.alive, ...(endStatus !== null && { leftovers: event.alive }) };
};

export const recordGone: Recorder = (context, event) =>
  event.type === 'tree.gone'
    ? {
        survivors: [],
        leftovers: [],
        suspects: event.suspects ?? [],
        leftoversEnded: event.ended,
        receipt: toReceipt({ ...context, leftoversEnded: event.ended }, { survivors: [], atMs: event.atMs }),
      }
    : {};

export const recordSurvivors: Recorder = (context, event) => ({
  receipt: toReceipt(context, { survivors: context.survivors, atMs: event.atMs }),
});

export const orderKill: Recorder = (context, event) => {
  if (event.type !== 'process.stop') return {};
  return {
    stop: toStopOrder(event.atMs, {
      cause: { type: 'kill', by: event.by },
      signal: event.signal,
      graceMs: orderedGraceMs(context, event),
    }),
  };
};

export const orderRestart: Recorder = (context, event) => {
  if (event.type !== 'process.restart') return {};
  return {
    stop: toStopOrder(event.atMs, {
      cause: { type: 'restart', by: event.by },
      signal: POLITE,
      graceMs: context.limits.killGraceMs,
    }),
  };
};

export const orderHold: Recorder = (context, event) => {
  if (event.type !== 'process.hold') return {};
  return {
    stop: toStopOrder(event.atMs, {
      cause: { type: 'hold', by: event.by },
      signal: event.signal,
      graceMs: context.limits.killGraceMs,
    }),
  };
};

/** Ends the hold's stop: a process that was stopped to be held needs no pause. */
export const recordHold: Recorder = ({ stop }, event) =>
  stop === null ? {} : { stop: null, nextStartAtMs: event.atMs };

/** Turns a stop for a restart into a kill when a kill arrives meanwhile; an earlier kill stays. */
export const overruleRestart: Recorder = (context, event) => {
  if (event.type !== 'process.stop' || context.stop === null) return {};
  if (context.stop.cause.type !== 'restart' && context.stop.cause.type !== 'hold') return {};
  return { stop: { ...context.stop, cause: { type: 'kill', by: event.by } } };
};

/** Shortens the grace when a later stop leaves less time than is left. */
export const shortenGrace: Recorder = (context, event) => {
  if (event.type !== 'process.stop' || context.stop === null) return {};
  const passedMs = event.atMs - context.stop.orderedAtMs;
  return { stop: { ...context.stop, graceMs: passedMs + orderedGraceMs(context, event) } };
};

/** Returns the time from an order to stop to SIGKILL; defaults to the limit of the process. */
export function orderedGraceMs({ limits }: ProcessContext, event: ProcessEvent): number {
  return (event.type === 'process.stop' ? event.graceMs : undefined) ?? limits.killGraceMs;
}

export const orderTimeout: Recorder = (context, event) => {
  const reached = reachedLimit(context, event);
  // A stop may have been ordered while the process was starting.
  if (reached === null || context.stop !== null) return {};
  return {
    stop: toStopOrder(event.atMs, {
      cause: { type: 'limit', ...reached },
      signal: POLITE,
      graceMs: context.limits.killGraceMs,
    }),
  };
};

export const recordEscalation: Recorder = (context) =>
  context.stop === null ? {} : { stop: { ...context.stop, escalated: true } };

/** Records a signal that was ordered without an end: the process may end of it. */
export const recordSignal: Recorder = (_, event) => {
  if (event.type !== 'process.signalled' || event.why.cause.type !== 'signal') return {};
  return { signalled: { signal: event.signal, by: event.why.by } };
};

export const changeLimits: Recorder = (context, event) =>
  event.type === 'limits.change' ? { limits: { ...context.limits, ...event.limits } } : {};

export const scheduleRestart: Recorder = (context, event) => {
  const recentMs = recentRestarts(context, event.atMs);
  const seed = nextSeed(context.seed);
  const pauseMs = backoffMs(context.restart, recentMs.length, toChance(seed));
  return { seed, restartTimesMs: [...recentMs, event.atMs], nextStartAtMs: event.atMs + pauseMs };
};

/** Returns the reason for ending, most specific first. */
export function toEndReason(context: ProcessContext): EndReason {
  const { stop, exit, spawnFailure, exceeded, spawnedAtMs, nextStartAtMs } = context;
  if (stop?.cause.type === 'limit') {
    return { type: 'timed_out', limit: stop.cause.limit, afterMs: stop.cause.afterMs };
  }
  const isWaiting = spawnedAtMs === null || nextStartAtMs !== null;
  if (stop !== null && isWaiting) return { type: 'cancelled', by: stop.cause.by };
  if (stop !== null) {
    return { type: 'killed', by: stop.cause.by, signal: stop.signal, escalated: stop.escalated };
  }
  if (spawnFailure !== null) return spawnFailure;
  if (exceeded !== null) return exceeded;
  if (exit !== null && exit.signal !== null)
    return { type: 'signalled', signal: exit.signal, by: toSender(context, exit.signal) };
  if (exit !== null && exit.code !== null) return { type: 'exited', code: exit.code };
  return { type: 'lost', why: 'its end was not reported' };
}

function toSender({ signalled }: ProcessContext, signal: ProcessSignal): Requester | 'outside' {
  return signalled?.signal === signal ? signalled.by : 'outside';
}

/** Returns the end of a process that was not stopped, or could not be started. */
export function toNaturalEnd(context: ProcessContext): Pick<ProcessContext, 'reason' | 'endStatus'> {
  return { reason: toEndReason(context), endStatus: isCleanExit(context) ? 'completed' : 'failed' };
}

/** Returns why a signal that ends the tree is sent on this event. */
export function toSignalReason({ stop, endStatus }: ProcessContext, event: ProcessEvent): SignalReason {
  if (event.type === 'process.stop' && endStatus !== null)
    return { by: event.by, cause: { type: 'leftovers', isKept: true } };
  if (event.type === 'deadline.grace') return { by: 'supervisor', cause: { type: 'grace' } };
  if (event.type === 'process.stop') return { by: event.by, cause: { type: 'kill', by: event.by } };
  const cause = stop?.cause ?? { type: 'leftovers', isKept: false };
  return { by: 'by' in cause ? cause.by : 'supervisor', cause };
}

/** Returns why a process was lost: as its backend reported, or by the error of a broken backend. */
export function toLoss({ loss }: ProcessContext, event: ProcessEvent): EndReason {
  if (event.type === 'process.lost') return { type: 'lost', why: event.why };
  if (loss !== null) return loss;
  const { error } = event as unknown as { error?: unknown };
  return { type: 'lost', why: `the actor that ran it broke: ${String(error)}` };
}

function reachedLimit(
  { limits }: ProcessContext,
  event: ProcessEvent,
): { limit: LimitName; afterMs: number } | null {
  switch (event.type) {
    case 'deadline.wait':
      return { limit: 'timeout', afterMs: limits.timeoutMs };
    case 'deadline.execution':
      return { limit: 'maxExecutionTime', afterMs: limits.maxExecutionMs };
    case 'deadline.background':
      return { limit: 'maxBackgroundTime', afterMs: limits.maxBackgroundMs };
    default:
      return null;
  }
}

function toStopOrder(orderedAtMs: number, order: Pick<StopOrder, 'cause' | 'signal' | 'graceMs'>): StopOrder {
  return { ...order, orderedAtMs, escalated: false };
}

function toReceipt(
  { stop, leftoversEnded }: ProcessContext,
  { survivors, atMs }: { survivors: KillReceipt['survivors']; atMs: number },
): KillReceipt | null {
  if (stop === null) return null;
  const { signal, escalated, orderedAtMs } = stop;
  return {
    signalled: signal,
    escalated,
    survivors,
    leftoversEnded,
    durationMs: Math.round(atMs - orderedAtMs),
  };
}
