import { expect, test } from 'vitest';
import type { AppliedLimits } from '../../src/config/resource-limits.ts';
import { describeFinalUsage, describeLimits, describeUsage } from '../../src/process/describe-usage.ts';
import { endedView, runningView } from '../support/views.ts';

const MIB = 1024 * 1024;

const whole = {
  ...{ processes: 3, cpuMs: 1_500, memoryBytes: 34 * MIB, peakMemoryBytes: 50 * MIB },
  ...{ readBytes: 2_048, writtenBytes: 3 * MIB, ports: [3_000, 3_001] },
};
const unknown = { peakMemoryBytes: null, readBytes: null, writtenBytes: null };

test.each([
  [
    whole,
    '3 processes, 1.5s of CPU time, 34.0 MiB of memory, 50.0 MiB at most, 2.0 KiB read from disks, 3.0 MiB written to disks, listens on 3000, 3001',
  ],
  [{ ...whole, ...unknown, processes: 1, ports: [] }, '1 process, 1.5s of CPU time, 34.0 MiB of memory'],
  [{ cpuMs: 0, readBytes: 0, writtenBytes: 0 }, '0 ms of CPU time'],
  [{ cpuMs: null, ...unknown }, ''],
  [{ peakMemoryBytes: MIB }, 'memory 1.0 MiB at most'],
])('%o is described', (figures, text) => {
  expect(describeUsage(figures)).toBe(text);
});

test('an ended process tells what it used, a live one nothing final', () => {
  expect(describeFinalUsage(endedView({ cpuMs: 20, readBytes: 5 }))).toBe(
    '20 ms of CPU time, 5 bytes read from disks',
  );
  expect(describeFinalUsage(runningView())).toBe('');
});

test.each<[AppliedLimits, string]>([
  [{ memoryBytes: MIB, memoryOf: 'tree', processes: 1 }, 'at most 1.0 MiB of memory, 1 process'],
  [{ memoryBytes: MIB, memoryOf: 'process' }, 'at most 1.0 MiB of memory for each process'],
  [
    { processes: 5, cpus: 0.5, openFiles: 77, fileBytes: 512, nice: 3, oomScoreAdj: -5 },
    'at most 5 processes, 0.5 of a processor, 77 open files, files of 512 bytes; niceness 3; oom_score_adj -5',
  ],
  [{ nice: 3 }, 'niceness 3'],
])('the limits %o are described', (limits, text) => {
  expect(describeLimits(limits)).toBe(text);
});
