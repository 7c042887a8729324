import { expect, test } from 'vitest';
import {
  cannotHaveWrapped,
  countPids,
  isInRange,
  iteratePids,
} from '../../../src/spawn/tree/pid-allocation.ts';

const small = { startTicks: 1000, pidMax: 32_768, threadCount: 100, cpuCount: 2 };
const large = { startTicks: 1000, pidMax: 4_194_304, threadCount: 20_000, cpuCount: 128 };

test('only a short life proves that pids have not wrapped', () => {
  expect(cannotHaveWrapped({ ...small, nowTicks: 1010 })).toBe(true);
  expect(cannotHaveWrapped({ ...small, nowTicks: 1020 })).toBe(false);
  expect(cannotHaveWrapped({ ...large, nowTicks: 1300 })).toBe(true);
  expect(cannotHaveWrapped({ ...large, nowTicks: 1500 })).toBe(false);
});

test.each([
  // 32 368 free pids at 200 a millisecond last 161 ms.
  ['two processors', small, 15, 16],
  // 4 174 004 at 1000, which no number of processors exceeds.
  ['many processors', large, 416, 417],
  // 4 174 004 at 1000.
  ['ten processors', { ...large, cpuCount: 10 }, 416, 417],
  // 4 174 004 at 900.
  ['nine processors', { ...large, cpuCount: 9 }, 462, 463],
])('the kernel takes its time for all pids: %s', (_, facts, lastTicks, firstTicks) => {
  const afterTicks = (ticks: number) => cannotHaveWrapped({ ...facts, nowTicks: facts.startTicks + ticks });

  expect([afterTicks(lastTicks), afterTicks(firstTicks)]).toEqual([true, false]);
});

test('a machine full of threads never proves it', () => {
  expect(cannotHaveWrapped({ ...small, threadCount: 32_400, nowTicks: 1000 })).toBe(false);
});

test('a pid range wraps at the largest pid', () => {
  const range = { after: 95, last: 3, pidMax: 100 };
  const all = Array.from({ length: 100 }, (_, pid) => pid);

  expect([...iteratePids(range)]).toEqual([96, 97, 98, 99, 1, 2, 3]);
  expect(countPids(range)).toBe(8);
  expect(all.filter((pid) => pid > 0 && isInRange(pid, range))).toEqual([1, 2, 3, 96, 97, 98, 99]);
});

test('a pid range without new pids is empty', () => {
  const range = { after: 50, last: 50, pidMax: 100 };

  expect([...iteratePids(range)]).toEqual([]);
  expect(countPids(range)).toBe(0);
});

test('a pid range that does not wrap ends with its last pid', () => {
  const range = { after: 10, last: 13, pidMax: 100 };

  expect([...iteratePids(range)]).toEqual([11, 12, 13]);
  expect(countPids(range)).toBe(3);
  expect([9, 10, 11, 13, 14].filter((pid) => isInRange(pid, range))).toEqual([11, 13]);
});
