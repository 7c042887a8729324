import { expect, test } from 'vitest';
import { fromDelegationText, parseContext, toDelegationText } from '../../src/agents/delegation-text.ts';

test.each([
  { task: 'review it' },
  { task: '{"task": 1}', context: { depth: 1, relevant_facts: ['a\nb', '\u0000'] } },
])('%j comes back as it was', (delegation) => {
  expect(fromDelegationText(toDelegationText(delegation))).toEqual({ ok: true, ...delegation });
});

test('plain text is the task', () => {
  expect(fromDelegationText('  review\nit\n')).toEqual({ ok: true, task: 'review\nit' });
});

test.each([
  ['', 'There is no task'],
  [' \n', 'There is no task'],
  ['{"task": "a"', 'looks like JSON but is invalid'],
  ['{"text": "a"}', 'has no "task"'],
  ['{"task": ""}', 'has no "task"'],
  ['{"task": "a", "context": [1]}', 'is not a JSON object'],
])('%j is no task', (text, expected) => {
  expect(fromDelegationText(text)).toEqual({ ok: false, error: expect.stringContaining(expected) });
});

test.each(['{', '[1]', '"text"', 'null', ''])('%j is no context', (text) => {
  expect(parseContext(text)).toEqual({ ok: false, error: expect.stringMatching(/^Invalid context JSON: /) });
});

test('a context is one object', () => {
  expect(parseContext('{"depth": 1}')).toEqual({ ok: true, context: { depth: 1 } });
});
