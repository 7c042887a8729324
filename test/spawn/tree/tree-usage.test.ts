import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { createRealClock } from '../../../src/clock/real-clock.ts';
import { createUsageMeter } from '../../../src/spawn/tree/tree-usage.ts';
import { endAll, waitUntil } from '../../support/os.ts';

test('a busy child counts for its leader', async () => {
  const child = spawn('/bin/sh', ['-c', 'while :; do :; done & echo up; wait'], { detached: true });
  const leader = child.pid ?? 0;
  try {
    await once(child.stdout, 'data');
    const meter = createUsageMeter({ clock: createRealClock() });

    const first = meter.measure([leader]).get(leader);
    const share = await waitUntil(() => meter.measure([leader]).get(leader)?.cpuShare || null);

    expect(first).toEqual({
      cpuShare: null,
      memoryBytes: expect.any(Number),
      pids: expect.arrayContaining([leader]),
    });
    expect(first?.memoryBytes).toBeGreaterThan(100_000);
    expect(share).toBeGreaterThan(0);
  } finally {
    process.kill(-leader, 'SIGKILL');
    await endAll([leader]);
  }
});

test('an ended leader has no usage', () => {
  const meter = createUsageMeter({ clock: createRealClock() });

  expect(meter.measure([2 ** 22 + 1]).size).toBe(0);
});
