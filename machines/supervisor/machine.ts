import { assign, setup } from 'xstate';
import { notProvided } from '../not-provided.ts';
import {
  createSupervisorContext,
  type Lane,
  type SupervisorContext,
  type SupervisorInput,
} from './context.ts';
import type { Refusal, SupervisorEvent } from './events.ts';

/** Time a shutdown may take beyond the grace: for SIGKILL's proof and the last output. */
const SHUTDOWN_SLACK_MS = 5_000;

const firstInQueue =
  (lane: Lane) =>
  ({ context }: { context: SupervisorContext }) => ({ id: context.queue[lane][0] ?? '' });

const requestedId = ({ event }: { event: SupervisorEvent }) => ({
  id: event.type === 'process.requested' ? event.id : '',
});

const refuseBecause =
  (refusal: Refusal) =>
  ({ event }: { event: SupervisorEvent }) => ({ ...requestedId({ event }), refusal });

const supervisorSetup = setup({
  types: {
    context: {} as SupervisorContext,
    events: {} as SupervisorEvent,
    input: {} as SupervisorInput,
  },
  actions: {
    /** Lets the process start. */
    admit: (_, _process: { id: string }) => notProvided('admit'),
    refuse: (_, _process: { id: string; refusal: Refusal }) => notProvided('refuse'),
    /** Stops every live process; persistent ones are released. */
    stopEverything: (_, _order: { graceMs: number }) => notProvided('stopEverything'),
    armShutdown: (_, _order: { afterMs: number }) => notProvided('armShutdown'),
    disarmShutdown: () => notProvided('disarmShutdown'),

    enqueue: assign(({ context, event }) => {
      if (event.type !== 'process.requested') return {};
      const { lane, id } = event;
      return { queue: { ...context.queue, [lane]: [...context.queue[lane], id] } };
    }),
    leaveQueue: assign(({ context, event }) => {
      if (event.type !== 'process.withdrawn' && event.type !== 'process.promoted') return {};
      const { lane, id } = event;
      return { queue: { ...context.queue, [lane]: context.queue[lane].filter((queued) => queued !== id) } };
    }),
    takeSlot: assign(({ context }, { lane }: { lane: Lane }) => ({
      queue: { ...context.queue, [lane]: context.queue[lane].slice(1) },
      foreground: { ...context.foreground, [lane]: context.foreground[lane] + 1 },
    })),
    countBackground: assign({ background: ({ context }) => context.background + 1 }),
    moveToBackground: assign(({ context, event }) => {
      if (event.type !== 'process.backgrounded') return {};
      return {
        background: context.background + 1,
        foreground: { ...context.foreground, [event.lane]: context.foreground[event.lane] - 1 },
      };
    }),
    release: assign(({ context, event }) => {
      if (event.type !== 'process.released') return {};
      const { place, lane } = event.slot;
      if (place === 'background') return { background: context.background - 1 };
      return { foreground: { ...context.foreground, [lane]: context.foreground[lane] - 1 } };
    }),
  },
  guards: {
    isForBackground: ({ event }) => event.type === 'process.requested' && event.background,
    isBackgroundFull: ({ context, event }) =>
      event.type === 'process.requested' &&
      event.background &&
      context.background >= context.maxBackgroundProcesses,
    hasToolToAdmit: ({ context }) =>
      context.queue.tool.length > 0 && context.foreground.tool < context.maxParallelTools,
    hasAgentToAdmit: ({ context }) =>
      context.queue.agent.length > 0 && context.foreground.agent < context.maxParallelAgents,
    isEmpty: ({ context }) =>
      context.background === 0 &&
      context.foreground.tool === 0 &&
      context.foreground.agent === 0 &&
      context.queue.tool.length === 0 &&
      context.queue.agent.length === 0,
  },
});

/** Admission of processes and their orderly end. Counting and admitting are one step. */
export const supervisorMachine = supervisorSetup.createMachine({
  id: 'supervisor',
  description: 'Admission of processes, and their orderly end.',
  context: ({ input }) => createSupervisorContext(input),
  initial: 'open',
  on: {
    // Ignored because a process whose actor broke ends by itself; unhandled, the error would end this actor and all others.
    'xstate.error.actor.*': {},
    'process.backgrounded': { actions: 'moveToBackground' },
    // Counted but never refused, because it runs already.
    'process.adopted': { actions: 'countBackground' },
    'process.released': { actions: 'release' },
    'process.withdrawn': { actions: 'leaveQueue' },
    'process.promoted': { actions: ['leaveQueue', 'countBackground'] },
  },
  states: {
    open: {
      description: 'Starts are admitted, queued or refused.',
      always: [
        {
          guard: 'hasToolToAdmit',
          actions: [
            { type: 'admit', params: firstInQueue('tool') },
            { type: 'takeSlot', params: { lane: 'tool' } },
          ],
        },
        {
          guard: 'hasAgentToAdmit',
          actions: [
            { type: 'admit', params: firstInQueue('agent') },
            { type: 'takeSlot', params: { lane: 'agent' } },
          ],
        },
      ],
      on: {
        'process.requested': [
          {
            guard: 'isBackgroundFull',
            actions: { type: 'refuse', params: refuseBecause('background-limit') },
          },
          { guard: 'isForBackground', actions: ['countBackground', { type: 'admit', params: requestedId }] },
          { actions: 'enqueue' },
        ],
        'supervisor.stop': 'closing',
      },
    },
    closing: {
      description: 'No process starts any more; live ones were ordered to stop, or are released.',
      entry: [
        {
          type: 'stopEverything',
          params: ({ context }) => ({ graceMs: context.shutdownGraceMs }),
        },
        {
          type: 'armShutdown',
          params: ({ context }) => ({ afterMs: context.shutdownGraceMs + SHUTDOWN_SLACK_MS }),
        },
      ],
      exit: 'disarmShutdown',
      always: { guard: 'isEmpty', target: 'closed' },
      on: {
        'process.requested': { actions: { type: 'refuse', params: refuseBecause('shutting-down') } },
        'deadline.shutdown': 'closed',
      },
    },
    closed: {
      description: 'Every process is gone or reported as a survivor.',
      type: 'final',
    },
  },
});
