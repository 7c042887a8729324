import { expect, test } from 'vitest';
import { StreamRuns } from '../../src/output/stream-runs.ts';

const positions = (stdout: number, stderr = 0) => ({ stdout, stderr, screen: 0 });
const run = (stream: 'stdout' | 'stderr', offset: number, position: number, afterEnd = false) => ({
  ...{ stream, offset, position, afterEnd, atMs: offset },
});
const both = ['stdout', 'stderr'] as const;

function arrange(): StreamRuns {
  const runs = new StreamRuns();
  runs.add(run('stdout', 0, 0), 3);
  runs.add(run('stdout', 3, 3), 2);
  runs.add(run('stderr', 5, 0), 4);
  runs.add(run('stdout', 9, 5), 1);
  return runs;
}

test('bytes of one stream are one run', () => {
  expect(arrange().find(positions(0), both)).toEqual({ ...run('stdout', 0, 0), length: 5 });
});

test('a run begins where the reader is', () => {
  expect(arrange().find(positions(2), both)).toEqual({ ...run('stdout', 2, 2), atMs: 0, length: 3 });
});

test('the next run follows where one is read', () => {
  expect(arrange().find(positions(5), both)).toEqual({ ...run('stderr', 5, 0), length: 4 });
  expect(arrange().find(positions(5), ['stdout'])).toEqual({ ...run('stdout', 9, 5), length: 1 });
  expect(arrange().find(positions(5, 4), both)).toEqual({ ...run('stdout', 9, 5), length: 1 });
});

test('the end of the last run is the end of what is known', () => {
  expect(arrange().end).toBe(10);
  expect(arrange().find(positions(6, 4), both)).toBeNull();
});

test('output after the end of the process is a run of its own', () => {
  const runs = new StreamRuns();
  runs.add(run('stdout', 0, 0), 3);
  runs.add(run('stdout', 3, 3, true), 2);

  expect(runs.find(positions(3), both)).toEqual({ ...run('stdout', 3, 3, true), length: 2 });
});

test('missing bytes end what is known', () => {
  const runs = arrange();
  runs.add(run('stdout', 12, 8), 1);

  expect(runs.end).toBe(10);
});

test('the number of runs is bounded', () => {
  const runs = new StreamRuns();
  for (let offset = 0; offset < 4_100; offset += 1)
    runs.add(run(offset % 2 === 0 ? 'stdout' : 'stderr', offset, Math.floor(offset / 2)), 1);

  expect(runs.end).toBe(4_096);
  runs.add(run('stderr', 4_096, 2_048), 5);
  expect(runs.end).toBe(4_101);
});
