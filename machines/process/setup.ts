import {
  assign,
  type CallbackActorLogic,
  emit,
  fromCallback,
  sendTo,
  setup,
  spawnChild,
  stopChild,
} from 'xstate';
import { notProvided } from '../not-provided.ts';
import { createNextAttempt, type ProcessContext, type ProcessInput } from './context.ts';
import type {
  BackendCommand,
  BackendFact,
  DeadlineName,
  ProcessAnnouncement,
  ProcessEvent,
} from './events.ts';
import * as recording from './recording.ts';
import { hasRestartedTooOften, isCleanExit, isRestartWanted } from './restart.ts';

/** Attempt that the runner executes; everything else is known where the runner is provided. */
export interface RunnerInput {
  readonly id: string;
  readonly attempt: number;
  /** True if the attempt is adopted instead of started. */
  readonly adopts: boolean;
}

/** Deadline to arm. It arrives as `deadline.<name>` and replaces an earlier one of the same name. */
export interface DeadlineOrder {
  readonly deadline: DeadlineName;
  /** `null` is no limit: it disarms the deadline. */
  readonly afterMs: number | null;
  /** Start of the count. `call`: the request of the process; `start`: the start of its attempt. */
  readonly from: 'now' | 'call' | 'start' | 'lastOutput';
}

const runnerStub: CallbackActorLogic<BackendCommand, RunnerInput, BackendFact> = fromCallback(() =>
  notProvided('runner'),
);

const base = setup({
  types: {
    context: {} as ProcessContext,
    events: {} as ProcessEvent,
    input: {} as ProcessInput,
    emitted: {} as ProcessAnnouncement,
    children: {} as { runner: 'runner' },
  },
  actors: { runner: runnerStub },
  actions: {
    armDeadline: (_, _order: DeadlineOrder) => notProvided('armDeadline'),
    disarmDeadline: (_, _order: { deadline: DeadlineName }) => notProvided('disarmDeadline'),
    /** Leaves the queue: the process starts in the background. */
    leaveQueue: () => notProvided('leaveQueue'),
    /** Kills what a broken backend may have started, without the backend's help. */
    forceKillTree: () => notProvided('forceKillTree'),

    endTree: sendTo('runner', ({ context, event }) => ({
      type: 'tree.end',
      signal: context.stop?.signal ?? 'SIGTERM',
      why: recording.toSignalReason(context, event),
    })),
    killTree: sendTo('runner', ({ context, event }) => ({
      type: 'tree.end',
      signal: 'SIGKILL',
      why: recording.toSignalReason(context, event),
    })),
    cancelStart: sendTo('runner', { type: 'start.cancel' }),
    signalTree: sendTo('runner', ({ event }) => toTreeCommand(event)),
    /** Continues what is left of a paused process whose leader has ended. */
    continueTree: sendTo('runner', {
      type: 'tree.resume',
      why: { by: 'supervisor', cause: { type: 'exit' } },
      reply: () => {},
    }),
    surveyTree: sendTo('runner', { type: 'tree.survey' }),
    settleOutput: sendTo('runner', ({ context }) => ({
      type: 'output.settle',
      quietMs: context.limits.drainQuietMs,
    })),
    stopRunner: stopChild('runner'),

    moveToBackground: assign({ background: true }),
    recordSpawn: assign(({ context, event }) => recording.recordSpawn(context, event)),
    recordAdoption: assign(({ context, event }) => recording.recordAdoption(context, event)),
    recordSpawnFailure: assign(({ context, event }) => recording.recordSpawnFailure(context, event)),
    recordExit: assign(({ context, event }) => recording.recordExit(context, event)),
    recordOutputEnd: assign({ outputEnded: true }),
    recordLeftovers: assign(({ context, event }) => recording.recordLeftovers(context, event)),
    recordSeen: assign(({ context, event }) => recording.recordSeen(context, event)),
    recordGone: assign(({ context, event }) => recording.recordGone(context, event)),
    recordSurvivors: assign(({ context, event }) => recording.recordSurvivors(context, event)),
    clearReceipt: assign({ receipt: null }),
    orderPause: assign(({ context }) => ({ pause: context.pause ?? ('ordered' as const) })),
    recordPause: assign({ pause: 'proven' }),
    endPause: assign({ pause: null }),
    recordSignal: assign(({ context, event }) => recording.recordSignal(context, event)),
    recordEscalation: assign(({ context, event }) => recording.recordEscalation(context, event)),
    recordReason: assign(({ context }) => ({ reason: recording.toEndReason(context) })),
    recordNaturalEnd: assign(({ context }) => recording.toNaturalEnd(context)),
    recordLoss: assign(({ context, event }) => ({ reason: recording.toLoss(context, event) })),
    recordUnseenEnd: assign(({ context, event }) => ({ loss: recording.toLoss(context, event) })),
    orderKill: assign(({ context, event }) => recording.orderKill(context, event)),
    orderRestart: assign(({ context, event }) => recording.orderRestart(context, event)),
    orderTimeout: assign(({ context, event }) => recording.orderTimeout(context, event)),
    orderHold: assign(({ context, event }) => recording.orderHold(context, event)),
    recordHold: assign(({ context, event }) => recording.recordHold(context, event)),
    overruleRestart: assign(({ context, event }) => recording.overruleRestart(context, event)),
    shortenGrace: assign(({ context, event }) => recording.shortenGrace(context, event)),
    changeLimits: assign(({ context, event }) => recording.changeLimits(context, event)),
    scheduleRestart: assign(({ context, event }) => recording.scheduleRestart(context, event)),
    clearRestarts: assign({ restartTimesMs: [] }),
    beginNextAttempt: assign(({ context }) => createNextAttempt(context)),

    announceStarted: emit({ type: 'process.started' }),
    announceAdopted: emit({ type: 'process.adopted' }),
    announceReleased: emit({ type: 'process.released' }),
    announceBackgrounded: emit(({ event }) => ({
      type: 'process.backgrounded',
      by: event.type === 'process.background' ? event.by : 'supervisor',
    })),
    announceSignal: emit(({ event }) => toAnnouncement(event)),
    announcePaused: emit(({ event }) => toAnnouncement(event)),
    announceResumed: emit(({ event }) => toAnnouncement(event)),
    announceStopping: emit({ type: 'process.stopping' }),
    announceSurvivors: emit({ type: 'process.survived' }),
    announceRestarting: emit({ type: 'process.restarting' }),
    announceSilence: emit({ type: 'process.silent' }),
    announceElapsed: emit({ type: 'process.elapsed' }),
    announceEnd: emit({ type: 'process.ended' }),
    announceLeftoversEnded: emit({ type: 'leftovers.ended' }),
  },
  guards: {
    isBackground: ({ context }) => context.background,
    isAwaited: ({ context }) => !context.background,
    isOutputEnded: ({ context }) => context.outputEnded,
    /** True if the process had ended and waits for a restart. */
    isBetweenAttempts: ({ context }) => context.nextStartAtMs !== null,
    /** True if an earlier supervisor started the process and did not see it end. */
    mayBeAlive: ({ context }) => context.isRestored && context.nextStartAtMs === null,
    isPauseOrdered: ({ context }) => context.pause !== null,
    isPaused: ({ context }) => context.pause === 'proven',
    isNotPaused: ({ context }) => context.pause !== 'proven',
    isStopOrdered: ({ context }) => context.stop !== null,
    isForced: ({ context }) => context.stop?.signal === 'SIGKILL',
    isForcedNow: ({ event }) => event.type === 'process.stop' && event.signal === 'SIGKILL',
    /** True if a later order leaves less time than the first one: a shutdown does not wait for a patient kill. */
    isForcedSooner: ({ context, event }) =>
      event.type === 'process.stop' &&
      context.stop !== null &&
      event.atMs + recording.orderedGraceMs(context, event) < context.stop.orderedAtMs + context.stop.graceMs,
    isPromotedOnTimeout: ({ context }) => context.onTimeout === 'background',
    isKilledOnTimeout: ({ context }) => context.onTimeout === 'kill',
    isStopForRestart: ({ context }) => context.stop?.cause.type === 'restart',
    isStopForHold: ({ context }) => context.stop?.cause.type === 'hold',
    isPauseOver: ({ context, event }) => event.atMs >= (context.nextStartAtMs ?? 0),
    isStopByLimit: ({ context }) => context.stop?.cause.type === 'limit',
    isRestartDue: ({ context, event }) =>
      isRestartWanted(context) && !hasRestartedTooOften(context, event.atMs),
    isCleanExit: ({ context }) => isCleanExit(context),
    hasCompleted: ({ context }) => context.endStatus === 'completed',
    hasLeftovers: ({ context }) => context.leftovers.length > 0,
    isTreeEmpty: ({ event }) => event.type === 'tree.surveyed' && event.leftovers.length === 0,
    /** True if leftovers hinder a restart or may not be kept. */
    hasLeftoversToClear: ({ context, event }) =>
      event.type === 'tree.surveyed' &&
      event.leftovers.length > 0 &&
      (context.leftoverPolicy === 'kill' ||
        (isRestartWanted(context) && !hasRestartedTooOften(context, event.atMs))),
    isSettled: ({ context: { exit, loss, outputEnded } }) => (exit !== null || loss !== null) && outputEnded,
    /** True if nothing is known of the tree any more and no survivor was seen. */
    isLost: ({ context: { loss, survivors } }) => loss !== null && survivors.length === 0,
  },
});

/** Returns the command to the runner for an order that does not stop the process. */
function toTreeCommand(event: ProcessEvent): BackendCommand {
  switch (event.type) {
    case 'process.signal': {
      const { signal, to, by, reply } = event;
      return { type: 'tree.signal', signal, to, why: { by, cause: { type: 'signal' } }, reply };
    }
    case 'process.pause':
      return { type: 'tree.pause', why: { by: event.by, cause: { type: 'pause' } }, reply: event.reply };
    case 'process.resume':
      return { type: 'tree.resume', why: { by: event.by, cause: { type: 'resume' } }, reply: event.reply };
    default:
      throw new Error(`${event.type} orders no signal.`);
  }
}

/** Returns the announcement of a fact about signals. */
function toAnnouncement(event: ProcessEvent): ProcessAnnouncement {
  switch (event.type) {
    case 'process.signalled': {
      const { type, signal, via, pids, why } = event;
      return { type, signal, via, pids, ...why };
    }
    case 'tree.paused':
    case 'tree.resumed': {
      const { via, pids, why } = event;
      const type = event.type === 'tree.paused' ? 'process.paused' : 'process.resumed';
      return { type, by: why.by, tree: { via, pids } };
    }
    default:
      throw new Error(`${event.type} is no fact about signals.`);
  }
}

export const processSetup = base.extend({
  actions: {
    startRunner: spawnChild('runner', {
      id: 'runner',
      input: ({ context: { id, attempt } }: { context: ProcessContext }) => ({ id, attempt, adopts: false }),
    }),
    adoptRunner: spawnChild('runner', {
      id: 'runner',
      input: ({ context: { id, attempt } }: { context: ProcessContext }) => ({ id, attempt, adopts: true }),
    }),
  },
});
