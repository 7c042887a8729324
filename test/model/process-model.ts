import { createActor, type EventFromLogic, type SnapshotFrom } from 'xstate';
import {
  type Limits,
  type ProcessContext,
  type ProcessInput,
  type ProcessPast,
  type TreeMember,
  toProcessEnd,
} from '../../machines/process/context.ts';
import { processMachine } from '../../machines/process/machine.ts';
import { type GeneratedPath, generatePaths } from '../../src/testing/paths/generate-paths.ts';

export type ProcessState = SnapshotFrom<typeof processMachine>;
export type ModelEvent = EventFromLogic<typeof processMachine> | BodyBroke;
export type ProcessPath = GeneratedPath<typeof processMachine>;

/** Event of xstate itself when the actor of a backend throws. */
interface BodyBroke {
  readonly type: 'xstate.error.actor.runner';
  readonly actorId: 'runner';
  readonly error: Error;
}

/** One kind of process to walk through its life. */
export interface ModelRow {
  readonly name: string;
  readonly input: ProcessInput;
  /** Set if its child holds the output too, so that the leader's exit does not end it. */
  readonly childHoldsOutput: boolean;
  /** Set if limits change while it runs. */
  readonly changesLimits: boolean;
  /** Set if it is to outlive its supervisor. */
  readonly isPersistent: boolean;
  /** Life under an earlier supervisor; `null` for a new process. Unless it was released, that supervisor crashed. */
  readonly before: readonly ModelEvent[] | null;
  /** True if paths continue with the leftovers; otherwise they end with the process. */
  readonly followsLeftovers: boolean;
  /** Events that are followed, because the rest is like in other rows; `null`: all. */
  readonly follows: ReadonlySet<ModelEvent['type']> | null;
}

/** Chart without effects: the model that real processes are compared with. */
export const processModel = processMachine.provide({
  actions: {
    armDeadline: () => {},
    disarmDeadline: () => {},
    forceKillTree: () => {},
    startRunner: () => {},
    adoptRunner: () => {},
    stopRunner: () => {},
    cancelStart: () => {},
    signalTree: () => {},
    killTree: () => {},
    leaveQueue: () => {},
    surveyTree: () => {},
    endTree: () => {},
    continueTree: () => {},
    settleOutput: () => {},
  },
});

/** Settings without limits, and a health that is never reached: each row sets its own. */
const noLimits: Limits = {
  timeoutMs: 0,
  maxExecutionMs: 0,
  maxBackgroundMs: 0,
  killGraceMs: 5_000,
  drainQuietMs: 100,
  drainMaxMs: 2_000,
  notifyAfterSilenceMs: 0,
  notifyAfterMs: 0,
};
const NEVER_MS = 1_000_000_000;

/** Member alive beside the leader. */
export const child: TreeMember = { pid: 2, pgid: 1, startedAt: '0', command: 'child' };
const grandchild: TreeMember = { pid: 3, pgid: 1, startedAt: '0', command: 'grandchild' };

const atMs = 0;
const admit: ModelEvent = { type: 'process.admit', atMs };
const spawned: ModelEvent = { type: 'process.spawned', pid: 1, pgid: 1, atMs };
const failed: ModelEvent = { type: 'process.exited', exit: { code: 3, signal: null }, atMs };
const quieted: ModelEvent = { type: 'output.quieted', atMs };
const left: ModelEvent = { type: 'tree.surveyed', leftovers: [child], atMs };
const leftMore: ModelEvent = { type: 'tree.surveyed', leftovers: [child, grandchild], atMs };
const alone: ModelEvent = { type: 'tree.surveyed', leftovers: [], atMs };
const release: ModelEvent = { type: 'process.release', atMs };
const stop: ModelEvent = { type: 'process.stop', by: 'agent', signal: 'SIGTERM', atMs };
const restart: ModelEvent = { type: 'process.restart', by: 'user', atMs };

const reply = () => {};
const pauseOrder: ModelEvent = { type: 'process.pause', by: 'agent', reply, atMs };
const why = { by: 'agent', cause: { type: 'pause' } } as const;
/** A signal that ends no program by default. */
const harmless = 'SIGWINCH';
const signalOrder: ModelEvent = {
  type: 'process.signal',
  ...{ signal: harmless, to: 'tree', by: 'user', reply, atMs },
};
const signalled: ModelEvent = {
  type: 'process.signalled',
  ...{ signal: harmless, via: 'group', pids: [1], why: { by: 'user', cause: { type: 'signal' } }, atMs },
};
const paused: ModelEvent = { type: 'tree.paused', via: 'signals', pids: [1], why, atMs };
const resumed: ModelEvent = { type: 'tree.resumed', via: 'signals', pids: [1], why, atMs };
/** Pause, and what may happen to a paused process. */
const pausing = [
  ...(['process.admit', 'process.spawned', 'process.background', 'process.exited'] as const),
  ...(['process.pause', 'process.resume', 'tree.paused', 'tree.resumed'] as const),
] as const;

/** States in which an adopting supervisor may find a process. */
const adoption = ['process.adopt', 'process.adopted', 'process.lost', 'xstate.error.actor.runner'] as const;
const naturalEnd = ['process.exited', 'output.quieted', 'tree.surveyed'] as const;
const orderedEnd = ['process.exited', 'tree.gone', 'output.ended'] as const;

/** True if the end of the log is known by the tree only: it may be written while a child is alive. */
const persistent = { isPersistent: true, childHoldsOutput: true } as const;

/** Pause between two attempts, longer than any limit of the caller. */
const pausedBetween = {
  policy: 'transient',
  backoffMs: 1_000_000,
  follows: [
    'process.admit',
    'process.spawned',
    'process.spawnFailed',
    ...naturalEnd,
    'process.background',
    'deadline.wait',
    'deadline.execution',
  ],
} as const;

export const processRows: readonly ModelRow[] = [
  row('no limits'),
  row('leftovers are killed', { leftoverPolicy: 'kill' }),
  row('leaves something behind', {
    followsLeftovers: true,
    follows: [
      'process.admit',
      'process.spawned',
      ...naturalEnd,
      'process.stop',
      'deadline.grace',
      'deadline.proof',
      'deadline.look',
      'tree.seen',
      'tree.gone',
      'process.lost',
      'xstate.error.actor.runner',
    ],
  }),
  row('leaves something behind for the next supervisor', {
    ...persistent,
    followsLeftovers: true,
    follows: ['process.admit', 'process.spawned', ...naturalEnd, 'process.release'],
  }),
  row('a child holds the output', { childHoldsOutput: true }),
  row('given limits later', { changesLimits: true }),
  row('promoted on timeout', { limits: { timeoutMs: 10_000 } }),
  row('killed on timeout', { limits: { timeoutMs: 10_000 }, onTimeout: 'kill' }),
  row('waited for beyond the timeout', {
    limits: { timeoutMs: 10_000, maxExecutionMs: 20_000 },
    onTimeout: 'wait',
  }),
  row('promoted between two attempts', {
    ...pausedBetween,
    limits: { timeoutMs: 10_000 },
  }),
  row('killed on timeout between two attempts', {
    ...pausedBetween,
    limits: { timeoutMs: 10_000 },
    onTimeout: 'kill',
  }),
  row('limited between two attempts', {
    ...pausedBetween,
    limits: { maxExecutionMs: 20_000 },
    onTimeout: 'wait',
  }),
  row('limited in the background', { limits: { maxBackgroundMs: 20_000 } }),
  row('watched for silence', { limits: { notifyAfterSilenceMs: 20_000 } }),
  row('watched for its age', { limits: { notifyAfterMs: 20_000 } }),
  row('restarted when abnormal', { policy: 'transient' }),
  row('restarted always', { policy: 'permanent' }),
  row('restarted, leftovers killed', { policy: 'transient', leftoverPolicy: 'kill' }),
  row('restarted, given limits later', { policy: 'transient', changesLimits: true }),
  row('healthy after a while', { policy: 'transient', healthyAfterMs: 20_000 }),
  row('held for others', {
    policy: 'transient',
    follows: [
      'process.admit',
      'process.background',
      'process.spawned',
      'process.hold',
      'process.proceed',
      'process.exited',
      'tree.gone',
      'output.ended',
      'tree.surveyed',
      'process.stop',
      'deadline.backoff',
    ],
  }),
  row('signalled', {
    follows: [
      'process.admit',
      'process.spawned',
      'process.background',
      'process.signal',
      'process.signalled',
    ],
  }),
  row('paused', {
    limits: { maxBackgroundMs: 20_000 },
    follows: [...pausing, 'deadline.background', 'process.stop', 'tree.gone', 'output.ended'],
  }),
  row('paused and promoted', { limits: { timeoutMs: 10_000 }, follows: [...pausing, 'deadline.wait'] }),
  row('paused, watched for silence', {
    limits: { notifyAfterSilenceMs: 20_000 },
    follows: [...pausing, 'deadline.silence'],
  }),
  row('let go of', {
    ...persistent,
    policy: 'transient',
    follows: ['process.admit', 'process.spawned', 'process.background', 'process.release', ...naturalEnd],
  }),
  row('taken over', {
    ...persistent,
    limits: { maxBackgroundMs: 20_000 },
    before: [admit, spawned, release],
    follows: [...adoption, 'process.stop', ...naturalEnd, 'deadline.background', 'process.release'],
  }),
  row('taken over to be stopped', {
    ...persistent,
    before: [admit, spawned, release],
    follows: ['process.stop', 'process.adopted', 'process.lost', ...orderedEnd],
  }),
  row('taken over with something left behind', {
    ...persistent,
    followsLeftovers: true,
    before: [admit, spawned, failed, quieted, left, release],
    follows: ['process.adopt', 'process.stop', 'tree.surveyed', 'tree.gone', 'deadline.look'],
  }),
  row('taken over between two attempts', {
    ...persistent,
    policy: 'transient',
    before: [admit, spawned, failed, quieted, alone, release],
    follows: [...adoption, 'process.spawned', 'process.spawnFailed'],
  }),
  row('taken over while it was stopped', {
    ...persistent,
    before: [admit, spawned, stop],
    follows: [...adoption, 'process.stop', ...orderedEnd],
  }),
  row('taken over while it was restarted', {
    ...persistent,
    before: [admit, spawned, restart],
    follows: [...adoption, ...orderedEnd, 'process.spawned'],
  }),
];

function row(
  name: string,
  variant: {
    limits?: Partial<Limits>;
    onTimeout?: ProcessInput['onTimeout'];
    leftoverPolicy?: ProcessInput['leftoverPolicy'];
    policy?: ProcessInput['restart']['policy'];
    healthyAfterMs?: number;
    backoffMs?: number;
    childHoldsOutput?: boolean;
    changesLimits?: boolean;
    isPersistent?: boolean;
    followsLeftovers?: boolean;
    before?: readonly ModelEvent[];
    follows?: readonly ModelEvent['type'][];
  } = {},
): ModelRow {
  const input: ProcessInput = {
    id: 'model',
    background: false,
    onTimeout: variant.onTimeout ?? 'background',
    limits: { ...noLimits, ...variant.limits },
    leftoverPolicy: variant.leftoverPolicy ?? 'keep',
    restart: {
      policy: variant.policy ?? 'temporary',
      maxRestarts: 1,
      withinMs: NEVER_MS,
      minBackoffMs: variant.backoffMs ?? 1_000,
      maxBackoffMs: variant.backoffMs ?? 1_000,
      healthyAfterMs: variant.healthyAfterMs ?? NEVER_MS,
    },
    seed: 1,
    past: null,
  };
  const { before = null, follows = null } = variant;
  return {
    name,
    childHoldsOutput: variant.childHoldsOutput ?? false,
    changesLimits: variant.changesLimits ?? false,
    isPersistent: variant.isPersistent ?? false,
    followsLeftovers: variant.followsLeftovers ?? false,
    before,
    follows: follows && new Set(follows),
    // No caller waits for an adopted process.
    input: before === null ? input : { ...input, background: true, past: toPast(input, before) },
  };
}

function toPast(input: ProcessInput, before: readonly ModelEvent[]): ProcessPast {
  const actor = createActor(processModel, { input }).start();
  for (const event of before) actor.send(event as Parameters<typeof actor.send>[0]);
  const { attempt, restartTimesMs, nextStartAtMs, stop } = actor.getSnapshot().context;
  return { attempt, restartTimesMs, nextStartAtMs, stop, end: toPastEnd(actor.getSnapshot().context) };
}

function toPastEnd(context: ProcessContext): ProcessPast['end'] {
  const { endStatus, pid } = context;
  return endStatus === null ? null : { ...toProcessEnd(context), endStatus, pid };
}

/** Reason for a process lost after a restart of the machine. */
const OTHER_BOOT = 'the machine was restarted since';

/** Every event with every payload that the chart distinguishes. */
export const processEvents: readonly ModelEvent[] = [
  admit,
  { type: 'process.adopt', atMs },
  { type: 'process.adopted', pid: 1, pgid: 1, startedAtMs: 0, atMs },
  release,
  { type: 'process.background', by: 'user', atMs },
  stop,
  { type: 'process.stop', by: 'user', signal: 'SIGKILL', atMs },
  { type: 'process.stop', by: 'user', signal: 'SIGTERM', graceMs: 1_000, atMs },
  restart,
  signalOrder,
  signalled,
  pauseOrder,
  { type: 'process.resume', by: 'agent', reply, atMs },
  paused,
  resumed,
  { type: 'process.hold', by: 'supervisor', signal: 'SIGTERM', atMs },
  { type: 'process.proceed', atMs },
  { type: 'limits.change', limits: { maxExecutionMs: 20_000, maxBackgroundMs: 20_000 }, atMs },
  spawned,
  { type: 'process.spawnFailed', cause: 'missing-program', code: 'ENOENT', message: 'missing', atMs },
  { type: 'process.exited', exit: { code: 0, signal: null }, atMs },
  failed,
  { type: 'process.exited', exit: { code: null, signal: 'SIGUSR2' }, atMs },
  { type: 'process.exited', exit: { code: null, signal: 'SIGTERM' }, atMs },
  { type: 'process.exited', exit: { code: null, signal: 'SIGKILL' }, atMs },
  { type: 'process.lost', why: 'the line went dead', atMs },
  { type: 'process.lost', why: OTHER_BOOT, atMs },
  { type: 'output.ended', atMs },
  quieted,
  alone,
  left,
  leftMore,
  { type: 'tree.seen', alive: [child, grandchild], atMs },
  { type: 'tree.gone', ended: [child], atMs },
  { type: 'deadline.wait', atMs },
  { type: 'deadline.execution', atMs },
  { type: 'deadline.background', atMs },
  { type: 'deadline.grace', atMs },
  { type: 'deadline.proof', atMs },
  { type: 'deadline.look', atMs },
  { type: 'deadline.drain', atMs },
  { type: 'deadline.backoff', atMs },
  { type: 'deadline.health', atMs },
  { type: 'deadline.silence', atMs },
  { type: 'deadline.elapsed', atMs },
  { type: 'xstate.error.actor.runner', actorId: 'runner', error: new Error('no more') },
];

/** Follows a second attempt only where it may differ from the first. */
const secondAttempt = new Set<ModelEvent['type']>([
  'process.spawned',
  'process.spawnFailed',
  'process.exited',
  'output.ended',
  'tree.surveyed',
  'deadline.health',
]);

/** Follows changed limits only to what they limit. */
const afterChange = new Set<ModelEvent['type']>([
  'process.admit',
  'process.spawned',
  'process.background',
  'limits.change',
  'deadline.execution',
  'deadline.background',
  'deadline.backoff',
]);

/** Tells whether the contracts of backend and clock allow an event. */
export function canHappen(state: ProcessState, event: ModelEvent, row: ModelRow): boolean {
  const { context } = state;
  const { limits, exit, loss, stop } = context;
  const isUp = state.matches({ running: 'up' }) || state.matches({ backgrounded: 'up' });
  const isQueued = state.matches({ pending: 'queued' });
  const hasBody = !isQueued && !state.matches('restarting');
  if (state.status === 'done' || state.matches({ backgrounded: 'released' })) return false;
  if (row.follows !== null && !row.follows.has(event.type)) return false;
  if (state.matches('leftover') && !row.followsLeftovers) return false;
  // An adopted process waits for no caller.
  if (isQueued && row.before !== null)
    return (
      event.type === (row.follows?.has('process.adopt') ? 'process.adopt' : 'process.stop') ||
      (event.type === 'process.lost' && event.why === OTHER_BOOT)
    );
  if (limits.maxExecutionMs > row.input.limits.maxExecutionMs && !afterChange.has(event.type)) return false;
  if (context.attempt > 1 && !secondAttempt.has(event.type)) return false;
  switch (event.type) {
    case 'process.exited':
      if (exit !== null || loss !== null || context.pid === null) return false;
      // Nothing else ends a leader that is halted.
      if (context.pause !== null) return event.exit.signal === 'SIGKILL';
      // SIGKILL leaves no other end, and SIGTERM ends only a process that was ordered to stop.
      if (isForced(state)) return event.exit.signal === 'SIGKILL';
      if (event.exit.signal === 'SIGTERM') return stop !== null;
      return event.exit.signal !== 'SIGKILL';
    case 'process.background':
      return state.can(event);
    case 'process.stop':
      if (row.followsLeftovers && !state.matches('leftover')) return false;
      return (
        event.graceMs === undefined ||
        state.matches({ stopping: 'terminating' }) ||
        state.matches({ leftover: 'terminating' })
      );
    case 'process.lost':
      return hasBody && loss === null && event.why !== OTHER_BOOT && !isEndingLeftovers(state);
    case 'xstate.error.actor.runner':
      return hasBody && !isEndingLeftovers(state);
    case 'process.hold':
    case 'process.proceed':
      return row.follows !== null;
    case 'process.signal':
    case 'process.signalled':
      return row.follows !== null && isUp;
    case 'process.pause':
      return row.follows !== null && context.pause === null;
    case 'process.resume':
      return row.follows !== null && context.pause === 'proven';
    case 'tree.paused':
      return context.pause === 'ordered';
    case 'tree.resumed':
      return context.pause === 'proven';
    case 'process.adopt':
      return false;
    case 'process.release':
      return row.isPersistent;
    case 'output.ended':
      if (context.outputEnded || context.pid === null || !hasBody || context.pause !== null) return false;
      return !row.childHoldsOutput || state.matches({ stopping: 'settling' });
    case 'tree.seen':
    case 'tree.gone':
      return !state.matches({ stopping: 'settling' }) && !state.matches({ leftover: 'watching' });
    case 'tree.surveyed':
      return event !== leftMore || state.matches({ leftover: 'watching' });
    case 'limits.change':
      return row.changesLimits;
    case 'deadline.wait':
      return limits.timeoutMs > 0 && isLimitAhead(state, limits.timeoutMs, row);
    case 'deadline.execution':
      return limits.maxExecutionMs > 0 && isLimitAhead(state, limits.maxExecutionMs, row);
    case 'deadline.background':
      return limits.maxBackgroundMs > 0;
    case 'deadline.silence':
      return limits.notifyAfterSilenceMs > 0 && context.pause !== 'proven';
    case 'deadline.elapsed':
      return limits.notifyAfterMs > 0;
    case 'deadline.health':
      return isUp && isHealthAwaited(context);
    default:
      return true;
  }
}

function isEndingLeftovers(state: ProcessState): boolean {
  return state.matches('leftover') && !state.matches({ leftover: 'watching' });
}

/**
 * A limit of the caller ends with the caller's wait, and comes in a pause only if it is shorter. During a start it is followed in
 * short rows only: what comes after is like in the others.
 */
function isLimitAhead(state: ProcessState, limitMs: number, row: ModelRow): boolean {
  const { background, restart, stop } = state.context;
  if (state.matches({ pending: 'starting' }) && row.follows === null) return false;
  return (
    !background &&
    stop?.cause.type !== 'limit' &&
    (!state.matches('restarting') || limitMs < restart.minBackoffMs)
  );
}

/** Tells whether SIGKILL has ended the tree, or is about to. */
export function isForced(state: ProcessState): boolean {
  const { stopping } = state.value as { stopping?: string };
  return stopping === 'killing' || stopping === 'surviving' || stopping === 'settling';
}

/** Restarts are forgotten once: a health that was reached does not come again. */
function isHealthAwaited({ restart, attempt, restartTimesMs }: ProcessContext): boolean {
  return restart.healthyAfterMs < NEVER_MS && (attempt === 1 || restartTimesMs.length > 0);
}

/** Path through the life of one kind of process. */
export interface ProcessWay {
  readonly row: ModelRow;
  readonly input: ProcessInput;
  readonly path: ProcessPath;
}

/** Returns all paths through the lives of all kinds of processes; common ones once. */
export function processWays(): readonly ProcessWay[] {
  const known = new Set<string>();
  return processRows.flatMap((row) =>
    pathsOf(row)
      .filter((path) => known.size < known.add(describeWay(path)).size)
      .map((path) => ({ row, input: row.input, path })),
  );
}

function describeWay(path: ProcessPath): string {
  return JSON.stringify(path.map(({ event, state }) => [event, state.value]));
}

function pathsOf(row: ModelRow): readonly ProcessPath[] {
  return generatePaths(processModel, {
    input: row.input,
    events: processEvents as EventFromLogic<typeof processMachine>[],
    canHappen: (state, event) => canHappen(state, event, row),
    toKey,
  });
}

/** Part of the context that decides how a life may continue. The rest is compared at every step, but makes no new path. */
function toKey({ value, context }: ProcessState): string {
  const { background, attempt, restartTimesMs, exit, loss, outputEnded, stop, limits, pause } = context;
  const signal = context.signalled?.signal;
  const howExited = loss !== null ? 'unseen' : exit === null ? 'not yet' : exit.code === 0;
  const howStopped = stop && [stop.cause.type, stop.signal, stop.graceMs, stop.escalated];
  const restarts = restartTimesMs.length;
  return JSON.stringify([
    value,
    background,
    attempt,
    restarts,
    howExited,
    outputEnded,
    howStopped,
    limits,
    pause,
    signal,
  ]);
}

/** Compares members of a tree: a script has as many as the model, a real tree at least one where the model has one. */
export type CountMembers = (members: readonly TreeMember[]) => number;

/** Context without pids and times, which differ between runs. */
export function outlineContext(context: ProcessContext, count: CountMembers) {
  const { stop, spawnFailure, receipt, reason } = context;
  return {
    background: context.background,
    attempt: context.attempt,
    hasPid: context.pid !== null,
    exit: context.exit,
    isUnseen: context.loss !== null,
    spawnFailure: spawnFailure?.cause ?? null,
    outputEnded: context.outputEnded,
    stop: stop && { ...stop, orderedAtMs: null },
    pause: context.pause,
    signalled: context.signalled,
    leftovers: count(context.leftovers),
    survivors: count(context.survivors),
    leftoversEnded: count(context.leftoversEnded),
    receipt: outlineReceipt(receipt, count),
    reason: outlineReason(reason),
    restarts: context.restartTimesMs.length,
    willStart: context.nextStartAtMs !== null,
    limits: context.limits,
  };
}

export function outlineReceipt(receipt: ProcessContext['receipt'], count: CountMembers) {
  if (receipt === null) return null;
  const { signalled, escalated, survivors, leftoversEnded } = receipt;
  return { signalled, escalated, survivors: count(survivors), leftoversEnded: count(leftoversEnded) };
}

export function outlineReason(reason: ProcessContext['reason']) {
  return reason?.type === 'spawnFailed' ? { ...reason, message: null } : reason;
}

/** Tells whether an operating system that keeps its promises can take a path. */
export function isRealistic(path: ProcessPath): boolean {
  let seen = 0;
  for (const { event, state } of path) {
    if (event.type === 'process.spawned') seen = 0;
    // A program has one child.
    if (event === leftMore) return false;
    // The backend that finds them by their leader is not behind the gate.
    if (event.type === 'process.adopt' && state.matches('leftover')) return false;
    if (event.type === 'tree.seen') seen += 1;
    // Nothing survives SIGKILL, and the living of a tree change once: when its leader ends.
    if (event.type === 'deadline.proof' || seen > 1) return false;
    if (event.type === 'tree.seen' && isForced(state)) return false;
  }
  return true;
}
