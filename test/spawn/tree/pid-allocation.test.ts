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
