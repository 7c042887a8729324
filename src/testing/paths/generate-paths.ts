import {
  type ActorLogic,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type EventFromLogic,
  getInitialSnapshot,
  type InputFrom,
  type SnapshotFrom,
} from 'xstate';
import { getAdjacencyMap, type TraversalOptions } from 'xstate/graph';

/** An event, and the state that the chart says it leads to. */
export interface PathStep<Machine extends AnyStateMachine> {
  readonly event: EventFromLogic<Machine>;
  readonly state: SnapshotFrom<Machine>;
}

export type GeneratedPath<Machine extends AnyStateMachine> = readonly PathStep<Machine>[];

export interface PathOptions<Machine extends AnyStateMachine> {
  /** Input of the machine, the same for each path. */
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
  const options: TraversalOptions<SnapshotFrom<Machine>, EventFromLogic<Machine>, InputFrom<Machine>> = {
    input,
    events,
    serializeState: toKey,
    filterEvents: (state, event) => isHeard(state, event) && canHappen(state, event),
  };
  const adjacency = new Map<string, { readonly transitions: object }>(
    Object.entries(getAdjacencyMap(machine as unknown as Logic, options)),
  );
  const begin = toKey(getInitialSnapshot(machine, input) as SnapshotFrom<Machine>);
  const wayTo = new Map<string, GeneratedPath<Machine>>([[begin, []]]);
  const paths: GeneratedPath<Machine>[] = [];
  const beginnings = new Set<GeneratedPath<Machine>>();
  // Breadth first: the loop also visits the states that it adds, nearest first.
  for (const [key, way] of wayTo) {
    const steps: readonly PathStep<Machine>[] = Object.values(adjacency.get(key)?.transitions ?? {});
    if (steps.length > 0) beginnings.add(way);
    for (const step of steps) {
      const path = [...way, step];
      paths.push(path);
      const next = toKey(step.state);
      if (!wayTo.has(next)) wayTo.set(next, path);
    }
  }
  return paths.filter((path) => !beginnings.has(path));
}

/** The sequence of events, as text that is the same for the same sequence. */
export function describePath(path: readonly { readonly event: unknown }[]): string {
  return path.map(({ event }) => JSON.stringify(event)).join(' → ');
}

/** Returns whether a state listens to an event, also if only to ignore it; xstate's own list of events leaves those out. */
function isHeard(state: unknown, { type }: { readonly type: string }): boolean {
  return (state as AnyMachineSnapshot)._nodes.some(
    ({ transitions }) =>
      transitions.has(type) || [...transitions.keys()].some((each) => isWildcardOf(each, type)),
  );
}

function isWildcardOf(descriptor: string, type: string): boolean {
  return descriptor.endsWith('*') && type.startsWith(descriptor.slice(0, -1));
}
