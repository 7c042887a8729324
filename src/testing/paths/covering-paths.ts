import { type AnyStateMachine, createActor, type InputFrom } from 'xstate';
import { toTransitionIds } from './chart-coverage.ts';
import type { GeneratedPath } from './generate-paths.ts';

/** A path, and the input of the machine that follows it. */
export interface PathWithInput<Machine extends AnyStateMachine> {
  readonly path: GeneratedPath<Machine>;
  readonly input: InputFrom<Machine>;
}

/**
 * Selects paths that still take each transition of the chart with each payload that occurs in any path.
 * Greedy, shortest first, for systems on which each path is expensive.
 */
export function coveringPaths<Machine extends AnyStateMachine, Way extends PathWithInput<Machine>>(
  machine: Machine,
  ways: readonly Way[],
): readonly Way[] {
  const covered = new Set<string>();
  return [...ways]
    .sort((a, b) => a.path.length - b.path.length)
    .filter((way) => {
      const before = covered.size;
      for (const { id, event } of transitionsTaken(machine, way))
        covered.add(`${id} ${JSON.stringify(event)}`);
      return covered.size > before;
    });
}

/** Returns the transitions that a path takes in the chart, in order, each with its event. */
export function transitionsTaken<Machine extends AnyStateMachine>(
  machine: Machine,
  { path, input }: PathWithInput<Machine>,
): readonly { readonly id: string; readonly event: unknown }[] {
  const taken: { id: string; event: unknown }[] = [];
  const actor = createActor(machine as AnyStateMachine, {
    input,
    inspect: (inspected) => {
      if (inspected.type !== '@xstate.microstep') return;
      for (const id of toTransitionIds(inspected)) taken.push({ id, event: inspected.event });
    },
  }).start();
  for (const { event } of path) actor.send(event);
  actor.stop();
  return taken;
}
