import { expect, test } from 'vitest';
import { grepLines } from '../../src/output/grep.ts';

/** Holds this thread up as others do on a busy machine: time passes, and it computes nothing. */
function stall(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

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
