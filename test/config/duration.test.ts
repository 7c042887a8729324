import { expect, test } from 'vitest';
import { duration, formatDuration } from '../../src/config/duration.ts';

test.each([
  [0, 0],
  [1_500, 1_500],
  ['250ms', 250],
  ['1.5s', 1_500],
  ['5m', 300_000],
  ['2h', 7_200_000],
  ['30d', 2_592_000_000],
  [' 30s ', 30_000],
])('%j is a duration of %d ms', (text, ms) => {
  expect(duration.parse(text)).toBe(ms);
});

test.each([[-1], [Number.NaN], [Number.POSITIVE_INFINITY], ['30'], ['30 s'], ['s'], [''], [null], [true]])(
  '%j is no duration',
  (value) => {
    const result = duration.safeParse(value);

    expect(result.success).toBe(false);
    expect(result.error?.issues[0]?.message).toMatch(/^a duration: milliseconds from 0, or text such as/);
  },
);

test.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [3_200, '3.2s'],
  [30_000, '30s'],
  [245_000, '4m 05s'],
  [7_800_000, '2h 10m'],
])('%d ms are shown as %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test('a time is never shown as sixty of its unit', () => {
  expect(formatDuration(999.7)).toBe('1s');
  expect(formatDuration(59_990)).toBe('1m 00s');
});
