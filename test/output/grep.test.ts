import { expect, test } from 'vitest';
import { grepLines } from '../../src/output/grep.ts';
import { stall } from '../support/os.ts';

test('an expression is not charged with the time of others', () => {
  let stalls = 3;
  const begins = new Map<number, number>();
  begins.get = () => {
    stalls -= 1;
    if (stalls >= 0) stall(250);
    return 0;
  };

  const found = grepLines(['one', 'two', 'once'], { pattern: '^on', begins });

  expect(found).toEqual({ type: 'matches', lines: ['one', 'once'], matches: 2 });
});

test('an expression that never ends is ended', () => {
  const found = grepLines(['fine', `${'a'.repeat(60)}!`], { pattern: '^(a+)+$' });

  expect(found).toEqual({ type: 'problem', problem: expect.stringContaining('takes too long') });
});

const lines = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven'];
const find = (pattern: string, more: object = {}) => grepLines(lines, { pattern, ...more });

test.each([
  [0, ['one', 'five']],
  [1, ['zero', 'one', 'two', '--', 'four', 'five', 'six']],
  [2, ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven']],
  [1.9, ['zero', 'one', 'two', '--', 'four', 'five', 'six']],
  [-3, ['one', 'five']],
])('matches have their context, in groups: %d', (context, shown) => {
  expect(find('^one$|^five$', { context })).toEqual({ type: 'matches', lines: shown, matches: 2 });
});

test('matches beside each other share their context', () => {
  expect(find('three|four', { context: 1 })).toEqual({
    ...{ type: 'matches', lines: ['two', 'three', 'four', 'five'], matches: 2 },
  });
});

test.each([
  [{}, 0],
  [{ ignoreCase: false }, 0],
  [{ ignoreCase: true }, 1],
])('upper and lower case are alike only where that is said: %j', (more, matches) => {
  expect(find('SEVEN', more)).toMatchObject({ matches });
});

test('a match begins where the line says', () => {
  const begins = new Map([[0, 1]]);

  expect(grepLines(['aab', 'aab'], { pattern: '^a', begins })).toMatchObject({ lines: ['aab'], matches: 1 });
  expect(grepLines(['aab'], { pattern: '(?<=a)b', begins })).toMatchObject({ matches: 1 });
});

test.each([
  ['(', 'the pattern "(" is not a regular expression: Unterminated group'],
  [
    `${'a'.repeat(300)}(`,
    `the pattern "${'a'.repeat(200)}…" is not a regular expression: Unterminated group`,
  ],
])('a pattern that is none is a problem (%#)', (pattern, problem) => {
  expect(find(pattern)).toEqual({ type: 'problem', problem });
});

test('a pattern that takes too long says what to do', () => {
  expect(grepLines([`${'a'.repeat(60)}!`], { pattern: '^(a+)+$' })).toEqual({
    type: 'problem',
    problem:
      'the pattern "^(a+)+$" takes too long on this output: make it simpler, for example without nested repetition',
  });
});

test('an empty output has no match', () => {
  expect(grepLines([], { pattern: 'a' })).toEqual({ type: 'matches', lines: [], matches: 0 });
});
