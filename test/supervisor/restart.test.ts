import { expect, test } from 'vitest';
import { createVirtualHarness, turn, type VirtualHarness } from '../support/virtual.ts';

const service = { command: 'serve', background: true } as const;

/** Ends the newest attempt and lets the pause before the next one pass; how long it was. */
async function failAndWait(rig: VirtualHarness): Promise<number> {
  const runs = rig.backend.runs.length;
  rig.backend.lastRun.exit({ code: 1 });
  await turn();
  const fromMs = rig.clock.nowMs();
  while (rig.backend.runs.length === runs && rig.clock.nowMs() - fromMs < 60_000) rig.clock.advance(10);
  return rig.clock.nowMs() - fromMs;
}

test.each([
  ['temporary', 0, 'completed'],
  ['temporary', 1, 'failed'],
  ['transient', 0, 'completed'],
  ['transient', 1, 'restarting'],
  ['permanent', 0, 'restarting'],
  ['permanent', 1, 'restarting'],
] as const)('a %s process that exits with %d is %s', async (policy, code, status) => {
  await using rig = createVirtualHarness();
  const handle = rig.supervisor.start({ ...service, restart: { policy } });

  rig.run(0).exit({ code });
  await turn();

  expect(handle.status).toBe(status);
});

test('a restarted process keeps id and output', async () => {
  await using rig = createVirtualHarness();
  const handle = rig.supervisor.start({ ...service, restart: { policy: 'transient' } });
  rig.run(0).print('first\n');

  await failAndWait(rig);
  rig.run(1).print('second\n');

  expect(handle.view()).toMatchObject({ status: 'backgrounded', attempt: 2, restarts: 1, pid: 2 });
  expect(rig.backend.runs.map(({ request }) => [request.id, request.attempt])).toEqual([
    [handle.id, 1],
    [handle.id, 2],
  ]);
  expect(handle.read().text).toBe('first\nsecond\n');
});

test('the pause grows and gives up once', async () => {
  await using rig = createVirtualHarness();
  const handle = rig.supervisor.start({
    ...service,
    restart: { policy: 'permanent', maxRestarts: 5, within: '10m', maxBackoff: '4s' },
  });

  const pauses: number[] = [];
  for (let count = 0; count < 5; count += 1) pauses.push(await failAndWait(rig));
  rig.backend.lastRun.exit({ code: 1 });
  const view = await handle.ended;

  for (const [index, fullMs] of [500, 1_000, 2_000, 4_000, 4_000].entries()) {
    expect(pauses[index]).toBeGreaterThanOrEqual(fullMs * 0.75);
    expect(pauses[index]).toBeLessThanOrEqual(fullMs + 10);
  }
  expect(view).toMatchObject({
    status: 'failed',
    attempt: 6,
    restarts: 5,
    reason: { type: 'exited', code: 1 },
  });
  expect(rig.count('process.restarting')).toBe(5);
  expect(rig.count('process.ended')).toBe(1);
});

test('health forgets earlier restarts', async () => {
  await using rig = createVirtualHarness({ maxBackgroundTime: 0 });
  const handle = rig.supervisor.start({
    ...service,
    restart: { policy: 'permanent', maxRestarts: 2, within: '1d', healthyAfter: '60s' },
  });

  for (let count = 0; count < 10; count += 1) {
    await failAndWait(rig);
    expect(handle.status).toBe('backgrounded');
    rig.clock.advance(60_000);
  }

  expect(handle.view()).toMatchObject({ attempt: 11, restarts: 0 });
});

test('restarts long ago do not count', async () => {
  await using rig = createVirtualHarness({ maxBackgroundTime: 0 });
  const handle = rig.supervisor.start({
    ...service,
    restart: { policy: 'permanent', maxRestarts: 2, within: '10s', healthyAfter: '1d' },
  });

  for (let count = 0; count < 10; count += 1) {
    rig.clock.advance(6_000);
    await failAndWait(rig);
  }

  expect(handle.status).toBe('backgrounded');
});

test('a kill during the pause cancels the restart', async () => {
  await using rig = createVirtualHarness();
  const handle = rig.supervisor.start({ ...service, restart: { policy: 'permanent' } });
  rig.run(0).exit({ code: 1 });
  await turn();
  expect(handle.view()).toMatchObject({ status: 'restarting', restarts: 1, reason: { code: 1 } });

  const answer = await handle.kill();
  rig.clock.advance(3_600_000);

  expect(answer.type).toBe('cancelled');
  expect(handle.status).toBe('killed');
  expect(rig.backend.runs).toHaveLength(1);
  expect(rig.count('process.ended')).toBe(1);
});

test('a killed process is not started again', async () => {
  await using rig = createVirtualHarness();
  const handle = rig.supervisor.start({ ...service, restart: { policy: 'permanent' } });

  await handle.kill();
  rig.clock.advance(3_600_000);

  expect(handle.status).toBe('killed');
  expect(rig.backend.runs).toHaveLength(1);
});

test('a process that timed out is not started again', async () => {
  await using rig = createVirtualHarness({ maxBackgroundTime: '1m' });
  const handle = rig.supervisor.start({ ...service, restart: { policy: 'permanent' } });

  rig.clock.advance(60_000);
  await turn();
  rig.clock.advance(3_600_000);

  expect(handle.status).toBe('timed_out');
  expect(rig.backend.runs).toHaveLength(1);
});

test('a failed start is tried again', async () => {
  await using rig = createVirtualHarness({
    script: (run) =>
      run.request.attempt < 3
        ? run.tell({ type: 'process.spawnFailed', cause: 'too-many-files', code: 'EMFILE', message: 'full' })
        : run.comeUp(),
  });
  const handle = rig.supervisor.start({ ...service, restart: { policy: 'transient' } });
  expect(handle.view()).toMatchObject({ status: 'restarting', reason: { type: 'spawnFailed' } });

  rig.clock.advance(10_000);

  expect(handle.view()).toMatchObject({ status: 'backgrounded', attempt: 3 });
});

test('a restart on request ends it first', async () => {
  await using rig = createVirtualHarness({ killGrace: 1_000 });
  const handle = rig.supervisor.start(service);
  rig.run(0).obeys = (signal) => signal === 'SIGKILL';

  expect(handle.restart('user')).toBe(true);
  expect(handle.status).toBe('stopping');
  expect(rig.backend.runs).toHaveLength(1);
  rig.clock.advance(1_000);
  await turn();

  expect(handle.view()).toMatchObject({ status: 'backgrounded', attempt: 2 });
  expect(rig.run(0).signals).toEqual(['SIGTERM', 'SIGKILL']);
  expect(rig.count('process.ended')).toBe(0);
});

test('a kill overrules a restart on request', async () => {
  await using rig = createVirtualHarness({ killGrace: 1_000 });
  const handle = rig.supervisor.start(service);
  rig.run(0).obeys = (signal) => signal === 'SIGKILL';
  handle.restart();

  const answer = handle.kill();
  rig.clock.advance(1_000);

  expect((await answer).type).toBe('alreadyStopping');
  expect(handle.view()).toMatchObject({ status: 'killed', reason: { by: 'user' } });
  expect(rig.backend.runs).toHaveLength(1);
});

test('a restart of what has ended is refused', async () => {
  await using rig = createVirtualHarness();
  const handle = rig.supervisor.start(service);
  rig.run(0).exit();
  await turn();

  expect(handle.restart()).toBe(false);
  expect(handle.background()).toBe(false);
  expect(handle.changeLimits({ timeout: 1 })).toBe(false);
});

test('a foreground result waits for the last attempt', async () => {
  await using rig = createVirtualHarness({ timeout: 0 });
  const result = rig.supervisor.execute({ command: 'flaky', restart: { policy: 'transient' } });

  await failAndWait(rig);
  rig.run(1).print('good');
  rig.run(1).exit();

  expect(await result).toMatchObject({ type: 'completed', stdout: 'good' });
});
