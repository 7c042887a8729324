import { expect, test } from 'vitest';
import { toSize } from '../../../src/cli/verbs/run/share-terminal.ts';

test.each([
  [
    { columns: 100, rows: 40 },
    { columns: 100, rows: 40 },
  ],
  // As under a program that set none.
  [
    { columns: 0, rows: 0 },
    { columns: 80, rows: 24 },
  ],
  [
    { columns: 1, rows: 1 },
    { columns: 2, rows: 1 },
  ],
  [
    { columns: 5_000, rows: 3_000 },
    { columns: 1_000, rows: 1_000 },
  ],
])('a terminal of %j is clamped to a valid size', (ours, expected) => {
  expect(toSize(ours as never)).toEqual(expected);
});
