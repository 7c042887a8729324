import { expect, test } from 'vitest';
import { findProcess } from '../../src/cli/find-process.ts';
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
