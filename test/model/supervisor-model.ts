import type { EventFromLogic, SnapshotFrom } from 'xstate';
import type { Lane, SupervisorContext, SupervisorInput } from '../../machines/supervisor/context.ts';
import { supervisorMachine } from '../../machines/supervisor/machine.ts';
import { type GeneratedPath, generatePaths } from '../../src/testing/paths/generate-paths.ts';

export type SupervisorState = SnapshotFrom<typeof supervisorMachine>;
export type SupervisorPath = GeneratedPath<typeof supervisorMachine>;
export type SupervisorModelEvent = EventFromLogic<typeof supervisorMachine> | ChildBroke;

/** Event of xstate when an actor under the supervisor throws. */
interface ChildBroke {
  readonly type: 'xstate.error.actor.child';
  readonly actorId: 'child';
  readonly error: Error;
}

/** Smallest supervisor that can be full and have a process waiting. */
export const supervisorInput: SupervisorInput = {
  maxParallelTools: 1,
  maxParallelAgents: 1,
  maxBackgroundProcesses: 1,
  shutdownGraceMs: 3_000,
};

export const supervisorModel = supervisorMachine.provide({
  actions: {
    admit: () => {},
    refuse: () => {},
    stopEverything: () => {},
    armShutdown: () => {},
    disarmShutdown: () => {},
  },
});

const lanes: readonly Lane[] = ['tool', 'agent'];

/** Every event with every payload that the chart distinguishes. A queued process is named by its lane. */
export const supervisorEvents: readonly SupervisorModelEvent[] = [
  ...lanes.flatMap((lane): SupervisorModelEvent[] => [
    { type: 'process.requested', id: lane, lane, background: false },
    { type: 'process.requested', id: lane, lane, background: true },
    { type: 'process.backgrounded', lane },
    { type: 'process.released', slot: { place: 'foreground', lane } },
    { type: 'process.released', slot: { place: 'background', lane } },
    { type: 'process.withdrawn', id: lane, lane },
    { type: 'process.promoted', id: lane, lane },
  ]),
  { type: 'process.adopted' },
  { type: 'supervisor.stop' },
  { type: 'deadline.shutdown' },
  { type: 'xstate.error.actor.child', actorId: 'child', error: new Error('no more') },
];

/** Tells whether admission can send an event: no slot is given back that is not held. */
export function canHappenToSupervisor(state: SupervisorState, event: SupervisorModelEvent): boolean {
  const { foreground, background, queue } = state.context;
  const queued = queue.tool.length + queue.agent.length;
  if (state.status === 'done') return false;
  // Processes queued when a shutdown begins are withdrawn at once, before anything else.
  if (state.matches('closing') && queued > 0)
    return event.type === 'process.withdrawn' && queue[event.lane].length > 0;
  switch (event.type) {
    case 'process.requested':
      return queue[event.lane].length === 0;
    case 'process.backgrounded':
      return state.matches('open') && foreground[event.lane] > 0 && background < 2;
    case 'process.adopted':
      return state.matches('open') && background < 2;
    case 'process.released':
      // The lane of a background process makes no difference; in this model it is a tool.
      if (event.slot.place === 'background') return background > 0 && event.slot.lane === 'tool';
      return foreground[event.slot.lane] > 0;
    case 'process.withdrawn':
      return queue[event.lane].length > 0;
    case 'process.promoted':
      return state.matches('open') && queue[event.lane].length > 0 && background < 2;
    default:
      return true;
  }
}

export function supervisorPaths(): readonly SupervisorPath[] {
  return generatePaths(supervisorModel, {
    input: supervisorInput,
    events: supervisorEvents as EventFromLogic<typeof supervisorMachine>[],
    canHappen: canHappenToSupervisor,
    toKey: (state) => JSON.stringify([state.value, outlineSupervisor(state.context)]),
  });
}

/** Counts only, because ids differ from run to run. */
export function outlineSupervisor({ foreground, background, queue }: SupervisorContext) {
  return { foreground, background, queued: { tool: queue.tool.length, agent: queue.agent.length } };
}
