import { expect, test } from 'vitest';
import { createEnvironment } from '../../src/spawn/environment.ts';

const toEnvironment = (depth: number, overrides: Record<string, string | null> = {}) =>
  createEnvironment({
    inherited: { TROUPE_DEPTH: '7', HOME: '/home' },
    isRedacted: () => false,
    hasTerminal: false,
    hints: { pager: false, gitPrompt: false, term: false },
    overrides,
    identity: { processId: 'tool_a', mark: 'tool_a', supervisorId: 'sup_a', owner: 'user', depth },
  });

test('a process gets the depth of its children', () => {
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

test.each([
  [true, { HOME: '/home', LINES: '9' }],
  [false, { HOME: '/home', LINES: '9', COLUMNS: '200', TMUX: '/tmp/tmux-0/default,1,0', TERM: 'screen' }],
])('variables of our terminal are inherited without one: %s', (hasTerminal, expected) => {
  const { HOME, LINES, COLUMNS, TMUX, TERM } = createEnvironment({
    inherited: {
      ...{ HOME: '/home', LINES: '60', COLUMNS: '200', TMUX: '/tmp/tmux-0/default,1,0', TERM: 'screen' },
    },
    isRedacted: () => false,
    hasTerminal,
    hints: { pager: false, gitPrompt: false, term: false },
    overrides: { LINES: '9' },
    identity: { processId: 'tool_a', mark: 'tool_a', supervisorId: 'sup_a', owner: 'user', depth: 0 },
  });

  expect({ HOME, LINES, COLUMNS, TMUX, TERM }).toEqual({
    ...{ COLUMNS: undefined, TMUX: undefined, TERM: undefined },
    ...expected,
  });
});
