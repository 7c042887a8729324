import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { createRealClock } from '../../../src/clock/real-clock.ts';
import { createUsageMeter } from '../../../src/spawn/tree/tree-usage.ts';
import { endAll, waitUntil } from '../../support/os.ts';
import { openRealHarness } from '../../support/real.ts';

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
      cpuMs: expect.any(Number),
      memoryBytes: expect.any(Number),
      peakMemoryBytes: expect.any(Number),
      readBytes: expect.any(Number),
      writtenBytes: expect.any(Number),
      pids: expect.arrayContaining([leader]),
    });
    expect(first?.memoryBytes).toBeGreaterThan(100_000);
    expect(share).toBeGreaterThan(0);
  } finally {
    process.kill(-leader, 'SIGKILL');
    await endAll([leader]);
  }
});

test.each([
  ['by its cgroup', true],
  ['without a cgroup', false],
])('a process is measured with all that it started: %s', async (_, cgroups) => {
  await using stage = openRealHarness({ cgroups });
  const command =
    'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; head -c 3000000 /dev/zero >big; sync big; setsid sleep 100 & echo up; wait';
  const handle = stage.supervisor.start({ command, background: true });
  await handle.waitFor({ text: 'up' });

  const usage = await waitUntil(async () => {
    const now = await handle.usage();
    return now?.processes === 2 && now.cpuShare !== null ? now : null;
  });
  await handle.kill();

  expect(usage.ports).toEqual([]);
  expect(usage.cpuMs).toBeGreaterThanOrEqual(50);
  expect(usage.memoryBytes).toBeGreaterThan(100_000);
  expect(usage.peakMemoryBytes).toBeGreaterThan(100_000);
  expect(usage.writtenBytes).toBeGreaterThanOrEqual(3_000_000);
  expect(await handle.usage()).toBeNull();
});

test('a port of a descendant is in the usage', async () => {
  await using stage = openRealHarness();
  const script = `require('node:net').createServer().listen(0, '127.0.0.1', function () { console.log('port', this.address().port); })`;
  const command = `'${process.execPath}' -e "${script}" & wait`;
  const handle = stage.supervisor.start({ command, background: true });
  await handle.waitFor({ text: 'port' });

  const usage = await handle.usage();

  expect(usage?.ports).toEqual([Number(handle.read().text.split(' ')[1])]);
});

test('work inside this program has no usage', async () => {
  await using stage = openRealHarness();
  const handle = stage.supervisor.start({
    run: ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', resolve)),
  });

  expect(await handle.usage()).toBeNull();
});

test('an ended leader has no usage', () => {
  const meter = createUsageMeter({ clock: createRealClock() });

  expect(meter.measure([2 ** 22 + 1]).size).toBe(0);
});
