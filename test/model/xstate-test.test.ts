import { createTestModel as createOldTestModel } from '@xstate/test';
import { expect, test } from 'vitest';
import { assign, StateMachine } from 'xstate';
import { createTestModel } from 'xstate/graph';
import { createSupervisorContext } from '../../machines/supervisor/context.ts';
import {
  canHappenToSupervisor,
  outlineSupervisor,
  type SupervisorState,
  supervisorEvents,
  supervisorInput,
  supervisorModel,
} from './supervisor-model.ts';

/** Chart for `@xstate/test`, which knows neither input nor our actions: its context is fixed and its effects do nothing. */
const { config, implementations } = supervisorModel;
const nothing = assign({});
const effects = { admit: nothing, refuse: nothing, stopEverything: nothing };
const deadlines = { armShutdown: nothing, disarmShutdown: nothing };
const chart = new StateMachine(
  { ...config, context: createSupervisorContext(supervisorInput) } as never,
  { ...implementations, actions: { ...implementations.actions, ...effects, ...deadlines } } as never,
) as unknown as typeof supervisorModel;

/** Passed with each call: as options of the model, both packages would add every event without its payload. */
const options = {
  events: (state: SupervisorState) =>
    supervisorEvents.filter((event) => canHappenToSupervisor(state, event)) as never[],
  serializeState: (state: SupervisorState) => JSON.stringify([state.value, outlineSupervisor(state.context)]),
};

test('both test packages generate the same shortest paths', () => {
  const old = createOldTestModel(chart);
  const current = createTestModel(chart);

  const fromOld = toSequences(old.getShortestPaths(options as never));
  const fromCurrent = toSequences(current.getShortestPaths(options as never));

  expect(fromOld.length).toBeGreaterThan(20);
  expect(fromOld).toEqual(fromCurrent);
});

function toSequences(paths: readonly { steps: readonly { event: object }[] }[]): readonly string[] {
  return paths.map(({ steps }) => JSON.stringify(steps.map(({ event }) => event))).toSorted();
}
