import { type AnyStateMachine, createActor, type InputFrom } from 'xstate';
import { toTransitionIds } from './chart-coverage.ts';
import type { GeneratedPath } from './generate-paths.ts';

/** A path, and the input of the machine that goes it. */
export interface PathWithInput<Machine extends AnyStateMachine> {
  readonly path: GeneratedPath<Machine>;
  readonly input: InputFrom<Machine>;
}

/**
 * So few of the paths that each transition of the chart is still taken, and with each payload that it is taken with
 * in any of them. Greedy, the shortest first: for a system under test on which each path costs something.
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

/** The transitions that a path takes in the chart, in order, each with the event that it is taken with. */
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
