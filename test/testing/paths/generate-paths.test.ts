import { expect, test } from 'vitest';
import { createActor, setup } from 'xstate';
import { createChartCoverage } from '../../../src/testing/paths/chart-coverage.ts';
import { coveringPaths } from '../../../src/testing/paths/covering-paths.ts';
import { generatePaths } from '../../../src/testing/paths/generate-paths.ts';

type DoorEvent = { type: 'push'; hard: boolean } | { type: 'pull' } | { type: 'paint' };

const door = setup({
  types: { events: {} as DoorEvent },
  guards: { isHard: ({ event }) => event.type === 'push' && event.hard },
}).createMachine({
  id: 'door',
  initial: 'closed',
  states: {
    closed: { on: { push: [{ guard: 'isHard', target: 'broken' }, { target: 'open' }], paint: {} } },
    open: { on: { pull: 'closed' } },
    broken: { type: 'final' },
  },
});

const events: readonly DoorEvent[] = [
  { type: 'push', hard: false },
  { type: 'push', hard: true },
  { type: 'pull' },
  { type: 'paint' },
];
const toKey = (state: { value: unknown }) => JSON.stringify(state.value);
const toTypes = (paths: readonly (readonly { event: { type: string } }[])[]) =>
  paths.map((path) => path.map(({ event }) => event.type).join(' ')).toSorted();

test('paths take every event in every state', () => {
  const paths = generatePaths(door, { input: undefined, events, toKey });

  expect(toTypes(paths)).toEqual(['paint', 'push', 'push pull']);
});

test('impossible events are on no path', () => {
  const paths = generatePaths(door, {
    input: undefined,
    events,
    toKey,
    canHappen: (_, event) => event.type !== 'pull',
  });

  expect(toTypes(paths)).toEqual(['paint', 'push', 'push']);
});

test('covering paths leave out what is taken already', () => {
  const paths = generatePaths(door, { input: undefined, events, toKey });
  const ways = [...paths, ...paths].map((path) => ({ path, input: undefined }));

  const chosen = coveringPaths(door, ways);

  expect(toTypes(chosen.map(({ path }) => path))).toEqual(['paint', 'push', 'push pull']);
});

test('coverage names what was not walked', () => {
  const coverage = createChartCoverage(door);
  const actor = createActor(door, { inspect: coverage.inspect }).start();

  actor.send({ type: 'push', hard: false });

  expect(coverage.states.missing).toEqual(['door.broken']);
  expect(coverage.transitions.missing).toEqual([
    'door.closed · push · 0',
    'door.closed · paint · 0',
    'door.open · pull · 0',
  ]);
});
