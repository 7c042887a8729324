import { expect, test } from 'vitest';
import { createFaultReports } from '../../src/supervisor/fault-reports.ts';
import { createVirtualClock } from '../../src/testing/index.ts';

function tooMany(path: string): Error {
  return Object.assign(new Error(`EMFILE: too many open files, open '${path}'`), {
    code: 'EMFILE',
    syscall: 'open',
  });
}

function arrange() {
  const clock = createVirtualClock();
  const told: [string, number][] = [];
  const report = createFaultReports({
    clock,
    publish: ({ error, times }) => void told.push([(error as Error).message, times]),
  });
  return { clock, told, report };
}

test('a repeated fault is reported once a second with its count', async () => {
  const { clock, told, report } = arrange();

  for (let pid = 1; pid <= 5_000; pid += 1) report(tooMany(`/proc/${pid}/stat`));
  report(new Error('something else'));
  await clock.advance(1_000);

  expect(told).toEqual([
    [expect.stringContaining('/proc/1/stat'), 1],
    ['something else', 1],
    [expect.stringContaining('/proc/5000/stat'), 4_999],
  ]);
});

test('a fault that recurs later is reported at once', async () => {
  const { clock, told, report } = arrange();
  report(new Error('full'));
  await clock.advance(1_000);

  report(new Error('full'));

  expect(told).toEqual([
    ['full', 1],
    ['full', 1],
  ]);
});
