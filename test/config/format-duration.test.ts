import { expect, test } from 'vitest';
import { formatDuration } from '../../src/config/format-duration.ts';

test.each([
  [0.4, '0 ms'],
  [999.4, '999 ms'],
  [999.5, '1s'],
  [1_000, '1s'],
  [1_049, '1s'],
  [1_050, '1.1s'],
  [59_949, '59.9s'],
  [59_950, '1m 00s'],
  [60_000, '1m 00s'],
  [3_599_949, '59m 59s'],
  [3_600_000, '1h 00m'],
  [3_660_000, '1h 01m'],
  [360_000_000, '100h 00m'],
])('%d ms are shown as %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});
