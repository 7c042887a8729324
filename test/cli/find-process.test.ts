import { expect, test } from 'vitest';
import { findProcess } from '../../src/cli/find-process.ts';
import { endedView, processView } from './process-views.ts';

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
  expect(findProcess(word, views)).toMatchObject({ ok: true, view: { id } });
});

test('of two with one label the live one is meant', () => {
  expect(findProcess('server', views)).toMatchObject({ ok: true, view: { id: 'tool_abc' } });
});

test('an exact id wins over longer ones', () => {
  const both = [processView({ id: 'tool_ab' }), processView({ id: 'tool_abc' })];

  expect(findProcess('tool_ab', both)).toMatchObject({ ok: true, view: { id: 'tool_ab' } });
});

test.each([
  ['tool_ab', 'is the beginning of several: tool_abc, tool_abd. Add a character.'],
  ['tool_abe', 'not found. Did you mean tool_abc?'],
  ['', 'Say which process'],
])('%j is refused in words', (word, error) => {
  expect(findProcess(word, views)).toMatchObject({ ok: false, error: expect.stringContaining(error) });
});
