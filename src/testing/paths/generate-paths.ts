import type {
  ActorLogic,
  AnyMachineSnapshot,
  AnyStateMachine,
  EventFromLogic,
  InputFrom,
  SnapshotFrom,
} from 'xstate';
import { adjacencyMapToArray, getAdjacencyMap, getShortestPaths, type TraversalOptions } from 'xstate/graph';

/** An event, and the state that the chart says it leads to. */
export interface PathStep<Machine extends AnyStateMachine> {
  readonly event: EventFromLogic<Machine>;
  readonly state: SnapshotFrom<Machine>;
}

export type GeneratedPath<Machine extends AnyStateMachine> = readonly PathStep<Machine>[];

export interface PathOptions<Machine extends AnyStateMachine> {
  /** Input with which each path starts the machine. */
  readonly input: InputFrom<Machine>;
  /** The events with each payload that makes a difference: a branch whose payload is not listed is never walked. */
  readonly events: readonly EventFromLogic<Machine>[];
  /** Returns whether the world outside the chart allows an event, e.g. no second exit. Default: all that the state listens to. */
  readonly canHappen?: (state: SnapshotFrom<Machine>, event: EventFromLogic<Machine>) => boolean;
  /** States with the same key are one. It must leave out what grows without end, such as times and counters. */
  readonly toKey: (state: SnapshotFrom<Machine>) => string;
}

/**
 * Paths from the beginning that together take every event in every state: to each state the shortest way, then one
 * step. A path that is the beginning of another is left out. Actors do not run and delays do not pass: their
 * events are walked if `events` lists them (`xstate.done.actor.<id>`, `xstate.after.<delay>.<state>`). `testMachine` runs actors and delays.
 */
export function generatePaths<Machine extends AnyStateMachine>(
  machine: Machine,
  { input, events, canHappen = () => true, toKey }: PathOptions<Machine>,
): readonly GeneratedPath<Machine>[] {
  type Logic = ActorLogic<SnapshotFrom<Machine>, EventFromLogic<Machine>, InputFrom<Machine>>;
  const logic = machine as unknown as Logic;
  const options: TraversalOptions<SnapshotFrom<Machine>, EventFromLogic<Machine>, InputFrom<Machine>> = {
    input,
    events,
    serializeState: toKey,
    filterEvents: (state, event) => isHeard(state, event) && canHappen(state, event),
  };
  const wayTo = new Map(
    getShortestPaths<Logic>(logic, options).map(({ state, steps }) => [toKey(state), steps.slice(1)]),
  );
  const paths = adjacencyMapToArray(getAdjacencyMap(logic, options)).map(({ state, event, nextState }) => [
    ...(wayTo.get(toKey(state)) ?? []),
    { event, state: nextState },
  ]);
  return withoutBeginnings(paths);
}

/** The sequence of events, as text that is the same for the same sequence. */
export function describePath(path: readonly { readonly event: unknown }[]): string {
  return path.map(({ event }) => JSON.stringify(event)).join(' → ');
}

/** Returns whether a state listens to an event, also if only to ignore it; xstate's own list of events leaves those out. */
function isHeard(state: unknown, { type }: { readonly type: string }): boolean {
  const descriptors = (state as AnyMachineSnapshot)._nodes.flatMap(({ transitions }) => [
    ...transitions.keys(),
  ]);
  return descriptors.some((descriptor) =>
    descriptor.endsWith('*') ? type.startsWith(descriptor.slice(0, -1)) : descriptor === type,
  );
}

function withoutBeginnings<Path extends readonly { readonly event: unknown }[]>(
  paths: readonly Path[],
): readonly Path[] {
  const beginnings = new Set<string>();
  for (const path of paths) {
    for (let length = 1; length < path.length; length += 1)
      beginnings.add(describePath(path.slice(0, length)));
  }
  return paths.filter((path) => !beginnings.has(describePath(path)));
}
