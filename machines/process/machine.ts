import { createProcessContext, type ProcessContext } from './context.ts';
import type { ProcessEvent } from './events.ts';
import { orderedGraceMs } from './recording.ts';
import { type DeadlineOrder, processSetup } from './setup.ts';

/** Time SIGKILL may take before living members are called survivors. */
const PROOF_MS = 2_000;

/**
 * Interval between checks of leftovers that were not signalled: a tenth of the age of their process, within these limits. Checks happen on whole
 * seconds of the clock, so that many processes share one reading of the process table.
 */
const MIN_LOOK_MS = 1_000;
const MAX_LOOK_MS = 10_000;
const LOOK_STEP_MS = 1_000;

type In = { context: ProcessContext };

/** Converts a limit; 0 means none. */
const limit = (ms: number) => (ms === 0 ? null : ms);

const arm = (order: (context: ProcessContext) => DeadlineOrder) =>
  ({ type: 'armDeadline', params: ({ context }: In) => order(context) }) as const;
const disarm = (deadline: DeadlineOrder['deadline']) =>
  ({ type: 'disarmDeadline', params: { deadline } }) as const;

/** Arms a limit of the caller, which counts from the call over all attempts, pauses and queueing. */
const callerLimit = (deadline: 'wait' | 'execution', limitMs: (context: ProcessContext) => number) =>
  arm((context) => ({
    deadline,
    afterMs: context.background ? null : limit(limitMs(context)),
    from: 'call',
  }));
const armCaller = [
  callerLimit('wait', ({ limits }) => limits.timeoutMs),
  callerLimit('execution', ({ limits }) => limits.maxExecutionMs),
];
const stopCallerLimits = ['moveToBackground', disarm('wait'), disarm('execution')] as const;
const promoteUnstarted = [...stopCallerLimits, 'announceBackgrounded'] as const;
const armBackground = arm(({ limits }) => ({
  deadline: 'background',
  afterMs: limit(limits.maxBackgroundMs),
  from: 'start',
}));
/** Arms the silence. A paused process cannot print, so that its silence says nothing. */
const armSilence = arm(({ limits, pause }) => ({
  deadline: 'silence',
  afterMs: pause === 'proven' ? null : limit(limits.notifyAfterSilenceMs),
  from: 'lastOutput',
}));
const armNextSilence = arm(({ limits }) => ({
  deadline: 'silence',
  afterMs: limit(limits.notifyAfterSilenceMs),
  from: 'now',
}));
const armElapsed = arm(({ limits }) => ({
  deadline: 'elapsed',
  afterMs: limit(limits.notifyAfterMs),
  from: 'start',
}));
const armGrace = arm(({ stop, limits }) => ({
  deadline: 'grace',
  afterMs: stop?.graceMs ?? limits.killGraceMs,
  from: 'now',
}));
const armSoonerGrace = {
  type: 'armDeadline',
  params: ({ context, event }: In & { event: ProcessEvent }): DeadlineOrder => ({
    deadline: 'grace',
    afterMs: orderedGraceMs(context, event),
    from: 'now',
  }),
} as const;
const armProof = arm(() => ({ deadline: 'proof', afterMs: PROOF_MS, from: 'now' }));
const armLook = {
  type: 'armDeadline',
  params: ({ context: { spawnedAtMs }, event }: In & { event: ProcessEvent }): DeadlineOrder => {
    const ageMs = spawnedAtMs === null ? 0 : event.atMs - spawnedAtMs;
    const pauseMs = Math.min(Math.max(ageMs / 10, MIN_LOOK_MS), MAX_LOOK_MS);
    const lookAtMs = Math.ceil((event.atMs + pauseMs) / LOOK_STEP_MS) * LOOK_STEP_MS;
    return { deadline: 'look', afterMs: lookAtMs - event.atMs, from: 'now' };
  },
} as const;
const armDrain = arm(({ limits }) => ({ deadline: 'drain', afterMs: limits.drainMaxMs, from: 'now' }));
const armHealth = arm(({ restart }) => ({
  deadline: 'health',
  afterMs: restart.policy === 'temporary' ? null : restart.healthyAfterMs,
  from: 'start',
}));
const armBackoff = {
  type: 'armDeadline',
  params: ({ context, event }: In & { event: ProcessEvent }): DeadlineOrder => ({
    deadline: 'backoff',
    afterMs: (context.nextStartAtMs ?? 0) - event.atMs,
    from: 'now',
  }),
} as const;

type Transitions = NonNullable<Parameters<typeof processSetup.createStateConfig>[0]['on']>;

const toTerminating = (more: Transitions) =>
  processSetup.createStateConfig({
    description: 'The polite signal was sent to the whole tree.',
    entry: ['endTree', armGrace],
    exit: disarm('grace'),
    on: { 'deadline.grace': { target: 'killing', actions: 'recordEscalation' }, ...more },
  });

const toKilling = (on: Transitions) =>
  processSetup.createStateConfig({
    description: 'SIGKILL was sent to the whole tree and to processes that left its group.',
    entry: ['killTree', armProof],
    exit: disarm('proof'),
    on,
  });

/** States of an ordered end of a process or of its leftovers. The parent state handles `tree.gone`. */
const toOrderedEnd = (onProof: Transitions['deadline.proof']) => ({
  ordered: processSetup.createStateConfig({
    description: 'The first signal is decided here.',
    always: [{ guard: 'isForced', target: 'killing' }, { target: 'terminating' }],
  }),
  terminating: toTerminating({
    'process.stop': [
      { guard: 'isForcedNow', target: 'killing', actions: ['overruleRestart', 'recordEscalation'] },
      { guard: 'isForcedSooner', actions: ['overruleRestart', 'shortenGrace', armSoonerGrace] },
    ],
  }),
  killing: toKilling({ 'deadline.proof': onProof }),
  surviving: processSetup.createStateConfig({
    description: 'A member is alive after SIGKILL; it is still watched.',
    entry: ['recordSurvivors', 'announceSurvivors'],
    on: {
      'tree.seen': { actions: ['recordSeen', 'recordSurvivors'] },
      'process.stop': { target: 'killing', actions: ['overruleRestart', 'clearReceipt'] },
    },
  }),
});

/** Orders and facts while the leader lives that do not stop the process. */
const toSignals = (onResumed: Transitions['tree.resumed']): Transitions => ({
  'process.signal': { actions: 'signalTree' },
  'process.pause': { actions: ['orderPause', 'signalTree'] },
  'process.resume': { actions: 'signalTree' },
  'tree.paused': { guard: 'isNotPaused', actions: ['recordPause', disarm('silence'), 'announcePaused'] },
  'tree.resumed': onResumed,
  'process.exited': [
    { guard: 'isPauseOrdered', target: 'draining', actions: ['recordExit', 'endPause', 'continueTree'] },
    { target: 'draining', actions: 'recordExit' },
  ],
});

const naturalEnd = ['recordNaturalEnd', 'announceEnd'] as const;

/** States from the leader's natural exit to the end: late output, then leftovers. */
const ending = {
  draining: processSetup.createStateConfig({
    description: 'The leader has exited; its last output may still arrive.',
    entry: ['settleOutput', armDrain],
    exit: disarm('drain'),
    always: { guard: 'isOutputEnded', target: 'surveying' },
    on: {
      'output.quieted': 'surveying',
      'deadline.drain': 'surveying',
    },
  }),
  surveying: processSetup.createStateConfig({
    description: 'The tree is searched for processes that outlived the leader.',
    entry: 'surveyTree',
    on: {
      'tree.surveyed': [
        { guard: 'hasLeftoversToClear', target: 'clearing', actions: 'recordLeftovers' },
        { target: 'ended', actions: 'recordLeftovers' },
      ],
    },
  }),
  clearing: processSetup.createStateConfig({
    description: 'Leftovers that may not stay are being ended.',
    initial: 'terminating',
    on: {
      'tree.seen': { actions: 'recordLeftovers' },
      'tree.gone': { target: 'ended', actions: 'recordLeftovers' },
      'deadline.proof': 'ended',
    },
    states: { terminating: toTerminating({}), killing: toKilling({}) },
  }),
  ended: processSetup.createStateConfig({
    description: 'The run is over; its final status is decided here.',
    always: [
      { guard: 'isRestartDue', target: '#process.restarting', actions: 'scheduleRestart' },
      { guard: 'hasLeftovers', target: '#process.leftover', actions: naturalEnd },
      { guard: 'isCleanExit', target: '#process.completed', actions: naturalEnd },
      { target: '#process.failed', actions: naturalEnd },
    ],
  }),
};

/**
 * Life of one process. States describe the process and never the request: `killed` is entered only when the tree is proven gone.
 * Effects are named here and provided by `src/`.
 */
export const processMachine = processSetup.createMachine({
  id: 'process',
  description: 'Life of one process, from the request to its proven end.',
  context: ({ input }) => createProcessContext(input),
  initial: 'pending',
  on: {
    'process.lost': { target: '.lost', actions: ['forceKillTree', 'recordLoss'] },
    'xstate.error.actor.runner': { target: '.lost', actions: ['forceKillTree', 'recordLoss'] },
    'output.ended': { actions: 'recordOutputEnd' },
    'deadline.health': { actions: 'clearRestarts' },
    'process.signalled': { actions: ['recordSignal', 'announceSignal'] },
  },
  states: {
    pending: {
      description: 'Accepted, queued or being started.',
      entry: armCaller,
      initial: 'queued',
      on: {
        'process.background': { guard: 'isAwaited', actions: promoteUnstarted },
        'limits.change': { actions: ['changeLimits', ...armCaller] },
        'deadline.wait': { guard: 'isPromotedOnTimeout', actions: promoteUnstarted },
      },
      states: {
        queued: {
          description: 'Waiting for a slot.',
          on: {
            'process.admit': 'starting',
            'process.background': [
              { guard: 'isAwaited', target: 'starting', actions: ['leaveQueue', ...promoteUnstarted] },
              { target: 'starting', actions: 'leaveQueue' },
            ],
            'deadline.wait': {
              guard: 'isKilledOnTimeout',
              target: '#process.timed_out',
              actions: 'orderTimeout',
            },
            'deadline.execution': { target: '#process.timed_out', actions: 'orderTimeout' },
            'process.adopt': [
              { guard: 'hasLeftovers', target: '#process.leftover', actions: 'adoptRunner' },
              { guard: 'isBetweenAttempts', target: 'starting', actions: 'beginNextAttempt' },
              { target: 'adopting' },
            ],
            'process.stop': [
              { guard: 'mayBeAlive', target: 'adopting', actions: 'orderKill' },
              { target: '#process.killed', actions: 'orderKill' },
            ],
          },
        },
        starting: {
          description: 'The backend is starting it.',
          entry: 'startRunner',
          on: {
            'process.spawned': [
              { guard: 'isStopOrdered', target: '#process.stopping', actions: 'recordSpawn' },
              {
                guard: 'isBackground',
                target: '#process.backgrounded',
                actions: ['recordSpawn', 'announceStarted'],
              },
              { target: '#process.running', actions: ['recordSpawn', 'announceStarted'] },
            ],
            'process.spawnFailed': [
              { guard: 'isStopByLimit', target: '#process.timed_out' },
              { guard: 'isStopOrdered', target: '#process.killed' },
              { target: 'unspawned', actions: 'recordSpawnFailure' },
            ],
            'process.stop': { actions: ['orderKill', 'cancelStart'] },
            'deadline.wait': { guard: 'isKilledOnTimeout', actions: ['orderTimeout', 'cancelStart'] },
            'deadline.execution': { actions: ['orderTimeout', 'cancelStart'] },
          },
        },
        adopting: {
          description: 'The backend looks for the process of an earlier supervisor.',
          entry: 'adoptRunner',
          on: {
            'process.adopted': [
              { guard: 'isStopOrdered', target: '#process.stopping', actions: 'recordAdoption' },
              { target: '#process.backgrounded', actions: ['recordAdoption', 'announceAdopted'] },
            ],
            'process.stop': { actions: 'orderKill' },
          },
        },
        unspawned: {
          description: 'The start failed; whether it is repeated is decided here.',
          always: [
            { guard: 'isRestartDue', target: '#process.restarting', actions: 'scheduleRestart' },
            { target: '#process.failed', actions: naturalEnd },
          ],
        },
      },
    },

    running: {
      description: 'The process exists and a caller waits for it.',
      entry: armHealth,
      exit: disarm('health'),
      initial: 'up',
      on: {
        'process.stop': { target: 'stopping', actions: 'orderKill' },
        'process.restart': { target: 'stopping', actions: 'orderRestart' },
        'process.hold': { target: 'stopping', actions: 'orderHold' },
        'limits.change': { actions: ['changeLimits', ...armCaller] },
      },
      states: {
        up: {
          description: 'The leader is alive, perhaps paused.',
          on: {
            ...toSignals({ guard: 'isPaused', actions: ['endPause', 'announceResumed'] }),
            'process.background': { target: '#process.backgrounded', actions: 'announceBackgrounded' },
            'deadline.wait': [
              {
                guard: 'isPromotedOnTimeout',
                target: '#process.backgrounded',
                actions: 'announceBackgrounded',
              },
              { guard: 'isKilledOnTimeout', target: '#process.stopping', actions: 'orderTimeout' },
            ],
            'deadline.execution': { target: '#process.stopping', actions: 'orderTimeout' },
            'process.release': '#process.backgrounded.released',
          },
        },
        ...ending,
      },
    },

    backgrounded: {
      description: 'The process exists and no caller waits for it.',
      entry: [...stopCallerLimits, armBackground, armSilence, armElapsed, armHealth],
      exit: [disarm('background'), disarm('silence'), disarm('elapsed'), disarm('health')],
      initial: 'up',
      on: {
        'process.stop': { target: 'stopping', actions: 'orderKill' },
        'process.restart': { target: 'stopping', actions: 'orderRestart' },
        'process.hold': { target: 'stopping', actions: 'orderHold' },
        'limits.change': { actions: ['changeLimits', armBackground] },
      },
      states: {
        up: {
          description: 'The leader is alive, perhaps paused.',
          on: {
            ...toSignals({ guard: 'isPaused', actions: ['endPause', armNextSilence, 'announceResumed'] }),
            'deadline.background': { target: '#process.stopping', actions: 'orderTimeout' },
            'deadline.silence': { actions: ['announceSilence', armNextSilence] },
            'deadline.elapsed': { actions: 'announceElapsed' },
            'process.release': 'released',
          },
        },
        ...ending,
        released: {
          description: 'The supervisor has detached; another one may adopt the process.',
          entry: [
            'stopRunner',
            disarm('background'),
            disarm('silence'),
            disarm('elapsed'),
            disarm('health'),
            'announceReleased',
          ],
        },
      },
    },

    stopping: {
      description: 'A stop was ordered and the tree is not yet proven gone.',
      entry: ['endPause', disarm('wait'), disarm('execution'), 'announceStopping'],
      exit: [disarm('grace'), disarm('proof'), disarm('drain')],
      initial: 'ordered',
      on: {
        'process.exited': { actions: 'recordExit' },
        'process.lost': { actions: 'recordUnseenEnd' },
        'process.stop': { actions: 'overruleRestart' },
        'tree.seen': { actions: 'recordSeen' },
        'tree.gone': { target: '.settling', actions: 'recordGone' },
      },
      states: {
        ...toOrderedEnd([
          { guard: 'isLost', target: '#process.lost', actions: ['forceKillTree', 'recordLoss'] },
          { target: 'surviving' },
        ]),
        settling: {
          description: 'The tree is gone; the exit and the last output may still arrive.',
          entry: ['settleOutput', armDrain],
          exit: disarm('drain'),
          always: { guard: 'isSettled', target: 'ended' },
          on: {
            'output.quieted': { actions: 'recordOutputEnd' },
            'deadline.drain': 'ended',
          },
        },
        ended: {
          description: 'The tree is proven gone; the final status is decided here.',
          always: [
            {
              guard: 'isStopForRestart',
              target: '#process.pending.starting',
              actions: ['stopRunner', 'beginNextAttempt'],
            },
            { guard: 'isStopForHold', target: '#process.restarting.held' },
            { guard: 'isStopByLimit', target: '#process.timed_out' },
            { target: '#process.killed' },
          ],
        },
      },
    },

    restarting: {
      description: 'The process ended and will be started again.',
      entry: ['stopRunner', 'recordReason', ...armCaller, 'announceRestarting'],
      initial: 'pausing',
      on: {
        'process.restart': { target: '#process.pending.starting', actions: 'beginNextAttempt' },
        'process.stop': { target: 'killed', actions: 'orderKill' },
        'limits.change': { actions: ['changeLimits', ...armCaller] },
        'process.background': { guard: 'isAwaited', actions: promoteUnstarted },
        'deadline.wait': [
          { guard: 'isPromotedOnTimeout', actions: promoteUnstarted },
          { guard: 'isKilledOnTimeout', target: 'timed_out', actions: 'orderTimeout' },
        ],
        'deadline.execution': { target: 'timed_out', actions: 'orderTimeout' },
      },
      states: {
        pausing: {
          description: 'The next attempt starts after a pause.',
          entry: armBackoff,
          exit: disarm('backoff'),
          on: {
            'deadline.backoff': { target: '#process.pending.starting', actions: 'beginNextAttempt' },
            'process.hold': 'held',
          },
        },
        held: {
          description:
            'The next attempt starts on command and after its pause, because others are ended first.',
          entry: 'recordHold',
          on: {
            'process.proceed': [
              { guard: 'isPauseOver', target: '#process.pending.starting', actions: 'beginNextAttempt' },
              { target: 'pausing' },
            ],
          },
        },
      },
    },

    leftover: {
      description: 'The process has completed or failed, and members of its tree are alive.',
      entry: [disarm('wait'), disarm('execution')],
      exit: disarm('look'),
      initial: 'watching',
      on: {
        'tree.seen': { actions: 'recordSeen' },
        'tree.gone': { target: '.gone', actions: 'recordGone' },
        'process.lost': { target: '.left', actions: 'forceKillTree' },
        'xstate.error.actor.runner': { target: '.left', actions: 'forceKillTree' },
        'process.release': '.left',
      },
      states: {
        watching: {
          description: 'The leftovers may end by themselves.',
          entry: ['surveyTree', armLook],
          on: {
            'deadline.look': { target: 'watching', reenter: true },
            'tree.surveyed': [
              { guard: 'isTreeEmpty', target: 'gone', actions: 'recordLeftovers' },
              { actions: 'recordLeftovers' },
            ],
            'process.stop': { target: 'ordered', actions: ['orderKill', 'clearReceipt'] },
          },
        },
        ...toOrderedEnd('surviving'),
        gone: {
          description: 'The last leftover is gone.',
          entry: 'announceLeftoversEnded',
          always: 'left',
        },
        left: {
          description: 'No leftover is alive, or this supervisor no longer watches them.',
          always: [{ guard: 'hasCompleted', target: '#process.completed' }, { target: '#process.failed' }],
        },
      },
    },

    completed: { description: 'Exit code 0.', type: 'final' },
    failed: {
      description: 'An exit code other than 0, a signal from outside, or no start at all.',
      type: 'final',
    },
    killed: {
      description: 'Stopped on request, the tree proven gone.',
      type: 'final',
      entry: ['recordReason', 'announceEnd'],
    },
    timed_out: {
      description: 'Stopped because a limit was reached, the tree proven gone.',
      type: 'final',
      entry: ['recordReason', 'announceEnd'],
    },
    lost: {
      description: 'The end of the process is unknown.',
      type: 'final',
      entry: 'announceEnd',
    },
  },
});
