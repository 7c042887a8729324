import { expect, test } from 'vitest';
import { addEntry, type TimelineEntry } from '../../src/process/timeline.ts';

test('a timeline keeps its first and newest entries', () => {
  const timeline: TimelineEntry[] = [];

  for (let at = 0; at < 10_000; at += 1) addEntry(timeline, { at, type: 'process.restarting' });

  const times = timeline.map(({ at }) => at);
  expect(times).toHaveLength(200);
  expect(times.slice(0, 50)).toEqual(Array.from({ length: 50 }, (_, at) => at));
  expect(times.slice(50)).toEqual(Array.from({ length: 150 }, (_, index) => 9_850 + index));
});
