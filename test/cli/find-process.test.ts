import { expect, test } from 'vitest';
import { chooseProcess, chooseProcesses, findProcess, printMissed } from '../../src/cli/find-process.ts';
import { fakeIo } from './fake-io.ts';
import { endedView, processView } from './process-views.ts';

const listing = 'troupe ps -a';
const views = [
  processView({ id: 'tool_abc', label: 'server' }),
  processView({ id: 'tool_abd', label: 'build' }),
  endedView({ id: 'tool_xyz', label: 'server' }),
];

test.each([
  ['tool_abd', 'tool_abd'],
  ['tool_x', 'tool_xyz'],
  ['abc', 'tool_abc'],
  ['build', 'tool_abd'],
  ['bu', 'tool_abd'],
])('%j means %s', (word, id) => {
  expect(findProcess(word, { views, listing })).toMatchObject({ ok: true, view: { id } });
});

test('a label of two processes means the live one', () => {
  expect(findProcess('server', { views, listing })).toMatchObject({ ok: true, view: { id: 'tool_abc' } });
});

test('an exact id wins over longer ones', () => {
  const both = [processView({ id: 'tool_ab' }), processView({ id: 'tool_abc' })];

  expect(findProcess('tool_ab', { views: both, listing })).toMatchObject({
    ok: true,
    view: { id: 'tool_ab' },
  });
});

test.each([
  ['tool_ab', 'fits several processes: tool_abc (server), tool_abd (build). Add a character.'],
  ['tool_abe', 'not found. Did you mean tool_abc?'],
  ['', 'Name a process'],
  ['something else', 'troupe ps -a lists them.'],
])('%j is refused with an explanation', (word, error) => {
  expect(findProcess(word, { views, listing })).toMatchObject({
    ok: false,
    error: expect.stringContaining(error),
  });
});

test('a label of two ended processes means the newest', () => {
  const older = endedView({ id: 'tool_z', label: 'build' });
  const newer = { ...endedView({ id: 'tool_a', label: 'build' }), createdAt: 5 };

  const found = ['build', 'bu'].map((word) => findProcess(word, { views: [newer, older], listing }));

  expect(found).toEqual([
    { ok: true, view: newer },
    { ok: true, view: newer },
  ]);
});

test('a label of two live processes names both', () => {
  const both = [processView({ id: 'tool_a', label: 'build' }), processView({ id: 'tool_b', label: 'build' })];

  const found = findProcess('build', { views: both, listing });

  expect(found).toEqual({
    ok: false,
    error: '"build" is the label of several processes: tool_a (build), tool_b (build). Give an id.',
  });
});

const many = Array.from({ length: 6 }, (_, n) => processView({ id: `tool_a${n}` }));

test.each([
  ['', views, 'Name a process: its id, its label, or the beginning of either.'],
  [
    'tool_a',
    many,
    '"tool_a" fits several processes: tool_a0, tool_a1, tool_a2, tool_a3, tool_a4, …. Add a character.',
  ],
  [
    'tool_a',
    many.slice(1),
    '"tool_a" fits several processes: tool_a1, tool_a2, tool_a3, tool_a4, tool_a5. Add a character.',
  ],
  ['tool_abe', views, 'Process "tool_abe" not found. Did you mean tool_abc?'],
  ['bulid', views, 'Process "bulid" not found. Did you mean build?'],
  ['something else', views, 'Process "something else" not found. troupe ps -a lists them.'],
  ['tool_a', [], 'Process "tool_a" not found. There are no processes.'],
])('the word %j finds no single process', (word, all, error) => {
  expect(findProcess(word, { views: all, listing })).toEqual({ ok: false, error });
});

test('the beginning of two labels fits none, whichever ended first', () => {
  const both = [endedView({ id: 'tool_a', label: 'build-a' }), endedView({ id: 'tool_b', label: 'build-b' })];

  expect(findProcess('build', { views: both, listing })).toEqual({
    ok: false,
    error: '"build" fits several processes: tool_a (build-a), tool_b (build-b). Add a character.',
  });
});

test('the beginning of a live process wins over ended ones', () => {
  const both = [endedView({ id: 'tool_ab' }), processView({ id: 'tool_ac' })];

  expect(findProcess('tool_a', { views: both, listing })).toMatchObject({ view: { id: 'tool_ac' } });
});

test('processes are chosen once each, and words that fit none are told with the warnings', async () => {
  const state = {
    list: async () => ({
      processes: views.map((view) => ({ view, answered: true })),
      warnings: ['a record is damaged'],
    }),
  } as never;
  const place = fakeIo();

  const chosen = await chooseProcesses(['build', 'nothing like it', 'tool_abd', 'abc'], {
    state,
    io: place.io,
  });
  printMissed(chosen, place.io);
  const one = await chooseProcess('build', { state, io: place.io });
  const none = await chooseProcess('nothing like it', { state, io: place.io });

  expect(chosen.processes.map(({ view }) => view.id)).toEqual(['tool_abd', 'tool_abc']);
  expect([one?.view.id, none]).toEqual(['tool_abd', null]);
  expect(place.stderr()).toBe(
    'troupe: Process "nothing like it" not found. troupe ps -a lists them.\ntroupe: a record is damaged\n'.repeat(
      2,
    ),
  );
});
