import { expect, test } from 'vitest';
import { createEnvironment } from '../../src/spawn/environment.ts';

const toEnvironment = (depth: number, overrides: Record<string, string | null> = {}) =>
  createEnvironment({
    inherited: { TROUPE_DEPTH: '7', HOME: '/home' },
    isRedacted: () => false,
    hints: { pager: false, gitPrompt: false, term: false },
    overrides,
    identity: { processId: 'tool_a', supervisorId: 'sup_a', owner: 'user', depth },
  });

test('a process is told the depth of what it starts', () => {
  expect(toEnvironment(2)['TROUPE_DEPTH']).toBe('2');
});

test.each([
  ['4', '4'],
  ['1', '2'],
  ['abc', '2'],
  [null, '2'],
])('an override of %j can only add to the depth', (override, expected) => {
  expect(toEnvironment(2, { TROUPE_DEPTH: override })['TROUPE_DEPTH']).toBe(expected);
});
