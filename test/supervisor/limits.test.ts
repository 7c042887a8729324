import { expect, test } from 'vitest';
import type { BackgroundedResult, ProcessResult } from '../../src/index.ts';
import { createVirtualHarness, turn } from '../support/virtual.ts';

function toBackgrounded(result: ProcessResult): BackgroundedResult {
  if (result.type !== 'backgrounded') throw new Error(`The result is ${result.type}.`);
  return result;
}

test('a promotion says what the caller needs to know', async () => {
  await using rig = createVirtualHarness({ timeout: '2s' });
  const result = rig.supervisor.execute({ command: 'x' });
  rig.run(0).print('so far');

  rig.clock.advance(2_000);

  const [view] = rig.supervisor.list();
  const answer = await result;
  expect(answer).toMatchObject({
    type: 'backgrounded',
    process: { id: view?.id, status: 'backgrounded', pid: 1 },
    outputSoFar: { stdout: 'so far' },
  });
  const { message } = toBackgrounded(answer);
  expect(message).toContain('after 2s');
  expect(message).toContain(view?.id);
  // Where there is no conversation, none comes.
  expect(message).not.toContain('notice');
  expect(rig.supervisor.get(view?.id ?? '')?.read().text).toBe('so far');
});

test('a promotion says when a limit ends the process', async () => {
  await using rig = createVirtualHarness({ timeout: '2s', maxBackgroundTime: '30m' });
  const result = rig.supervisor.execute({ command: 'x' });

  rig.clock.advance(2_000);

  const { message } = toBackgrounded(await result);
  expect(message).toContain('A time limit ends it in 29m 58s if it has not ended by then.');
});

test('onTimeout kill names the seconds and the id', async () => {
  await using rig = createVirtualHarness();
  const result = rig.supervisor.execute({ command: 'x', timeout: '3s', onTimeout: 'kill' });

  rig.clock.advance(3_000);

  const [view] = rig.supervisor.list();
  expect(await result).toMatchObject({
    type: 'timed_out',
    limit: 'timeout',
    afterMs: 3_000,
    signal: 'SIGTERM',
    message: `Process ${view?.id} was killed at its limit timeout of 3s.`,
  });
  expect(view).toMatchObject({ status: 'timed_out', exit: { code: null, signal: 'SIGTERM' } });
});

test('onTimeout wait waits until the hard limit', async () => {
  await using rig = createVirtualHarness();
  const handle = rig.supervisor.start({
    command: 'x',
    timeout: '3s',
    onTimeout: 'wait',
    maxExecutionTime: '10s',
  });

  rig.clock.advance(9_999);
  expect(handle.status).toBe('running');
  rig.clock.advance(1);

  expect((await handle.ended).reason).toEqual({
    type: 'timed_out',
    limit: 'maxExecutionTime',
    afterMs: 10_000,
  });
});

test('the background limit counts the whole run', async () => {
  await using rig = createVirtualHarness();
  const handle = rig.supervisor.start({ command: 'x', timeout: '20s', maxBackgroundTime: '60s' });

  rig.clock.advance(20_000);
  expect(handle.status).toBe('backgrounded');
  rig.clock.advance(39_999);
  expect(handle.status).toBe('backgrounded');
  rig.clock.advance(1);

  expect((await handle.ended).reason).toMatchObject({ type: 'timed_out', limit: 'maxBackgroundTime' });
});

test('zero means no limit', async () => {
  await using rig = createVirtualHarness({ timeout: 0, maxExecutionTime: 0, maxBackgroundTime: 0 });
  const foreground = rig.supervisor.start({ command: 'x' });
  const background = rig.supervisor.start({ command: 'x', background: true });

  rig.clock.advance(30 * 86_400_000);

  expect([foreground.status, background.status]).toEqual(['running', 'backgrounded']);
});

test('a limit of thirty days does not fire at once', async () => {
  await using rig = createVirtualHarness();
  const handle = rig.supervisor.start({ command: 'x', background: true, maxBackgroundTime: '30d' });

  rig.clock.advance(30 * 86_400_000 - 1);
  expect(handle.status).toBe('backgrounded');
  rig.clock.advance(1);
  await turn();

  expect(handle.status).toBe('timed_out');
});

test('limits can be extended, shortened and lifted', async () => {
  await using rig = createVirtualHarness({ timeout: '10s', maxBackgroundTime: '60s' });
  const handle = rig.supervisor.start({ command: 'x' });
  rig.clock.advance(9_000);
  handle.changeLimits({ timeout: '20s' });
  rig.clock.advance(10_999);
  expect(handle.status).toBe('running');
  rig.clock.advance(1);
  expect(handle.status).toBe('backgrounded');

  handle.changeLimits({ maxBackgroundTime: 0 });
  rig.clock.advance(3_600_000);
  expect(handle.status).toBe('backgrounded');
  handle.changeLimits({ maxBackgroundTime: '61m' });
  rig.clock.advance(60_000);
  await turn();

  expect(handle.status).toBe('timed_out');
});

test('a limit shortened to what has passed fires at once', async () => {
  await using rig = createVirtualHarness();
  const handle = rig.supervisor.start({ command: 'x', background: true });
  rig.clock.advance(60_000);

  handle.changeLimits({ maxBackgroundTime: '30s' });
  rig.clock.advance(0);
  await turn();

  expect(handle.view()).toMatchObject({ status: 'timed_out', reason: { afterMs: 30_000 } });
});

test('misspelt limits are refused', async () => {
  await using rig = createVirtualHarness();
  const handle = rig.supervisor.start({ command: 'x' });

  expect(() => handle.changeLimits({ timeOut: 1 } as never)).toThrow('Did you mean "timeout"?');
});

test('an output that does not stop ends the drain', async () => {
  await using rig = createVirtualHarness({ timeout: 0, drainQuiet: 100, drainMax: 2_000 });
  const handle = rig.supervisor.start({ command: 'x' });
  const run = rig.run(0);
  run.holdsOutput = true;
  run.exit();

  for (let ms = 0; ms < 1_950; ms += 50) {
    run.print('y\n');
    rig.clock.advance(50);
  }
  expect(handle.status).toBe('running');
  rig.clock.advance(50);
  await turn();

  expect(handle.view()).toMatchObject({ status: 'completed', runtimeMs: 2_000 });
});

test('a quiet output ends the drain soon', async () => {
  await using rig = createVirtualHarness({ timeout: 0 });
  const handle = rig.supervisor.start({ command: 'x' });
  rig.run(0).holdsOutput = true;
  rig.run(0).exit();

  rig.clock.advance(99);
  expect(handle.status).toBe('running');
  rig.clock.advance(1);
  await turn();

  expect(handle.status).toBe('completed');
});

test('the time-out at the exit ends it once', async () => {
  for (const offsetMs of [-1, 0, 1]) {
    await using rig = createVirtualHarness({ timeout: 1_000 });
    const handle = rig.supervisor.start({ command: 'x' });
    if (offsetMs > 0) rig.clock.advance(1_000);
    else {
      rig.clock.at(1_000 + offsetMs, () => rig.run(0).exit());
      rig.clock.advance(1_000);
    }
    if (offsetMs > 0) rig.run(0).exit();
    await turn();

    expect(handle.status).toBe('completed');
    expect(rig.count('process.ended')).toBe(1);
    expect(rig.count('process.backgrounded')).toBe(offsetMs < 0 ? 0 : 1);
  }
});

/** Fails at once, each time: between the attempts nothing runs for half a minute. */
const failing = {
  script: (run) => {
    run.comeUp();
    run.exit({ code: 1 });
  },
} as const satisfies Parameters<typeof createVirtualHarness>[0];
const pausing = { policy: 'transient', minBackoff: '30s', maxBackoff: '30s' } as const;

test('a time-out in a pause promotes the caller', async () => {
  await using rig = createVirtualHarness(failing);
  const result = rig.supervisor.execute({ command: 'x', timeout: '2s', restart: pausing });
  await turn();

  rig.clock.advance(2_000);

  const answer = toBackgrounded(await result);
  expect(answer.process.status).toBe('restarting');
  expect(answer.message).toMatch(/^It ended \(exited with code 1\) and will be restarted/);
  expect(rig.count('process.backgrounded')).toBe(1);
});

test('a time-out in a pause ends the process', async () => {
  await using rig = createVirtualHarness(failing);
  const handle = rig.supervisor.start({ command: 'x', timeout: '2s', onTimeout: 'kill', restart: pausing });
  await turn();

  rig.clock.advance(2_000);

  expect((await handle.ended).reason).toEqual({ type: 'timed_out', limit: 'timeout', afterMs: 2_000 });
});

test('the limits of a call outlast its attempts', async () => {
  await using rig = createVirtualHarness();
  const handle = rig.supervisor.start({
    command: 'x',
    timeout: '3s',
    onTimeout: 'wait',
    maxExecutionTime: '10s',
    restart: { policy: 'transient', minBackoff: '2s', maxBackoff: '2s', maxRestarts: 99 },
  });

  for (const at of [3_000, 6_000, 9_000]) {
    rig.clock.advance(at - rig.clock.nowMs());
    expect(handle.status).toBe('running');
    rig.backend.lastRun.exit({ code: 1 });
    await turn();
  }
  rig.clock.advance(1_000);

  const { reason, runtimeMs } = await handle.ended;
  expect(reason).toEqual({ type: 'timed_out', limit: 'maxExecutionTime', afterMs: 10_000 });
  expect(rig.clock.nowMs()).toBe(10_000);
  expect(runtimeMs).toBeLessThan(10_000);
});

test('a view says when a limit ends its process', async () => {
  await using rig = createVirtualHarness({ timeout: '30s', maxExecutionTime: '5m' });
  const start = (limits: object) => rig.supervisor.start({ command: 'x', ...limits });
  const startedAt = rig.clock.epochMs();
  const unlimited = start({ background: true });
  const limited = start({ background: true, maxBackgroundTime: '60s' });
  const killed = start({ onTimeout: 'kill' });
  const awaited = start({ onTimeout: 'wait' });
  const promoted = start({ maxBackgroundTime: '60s' });
  const never = start({});
  rig.clock.advance(1_000);

  const after = (handle: typeof never) => {
    const { endsAt } = handle.view() as { endsAt: number | null };
    return endsAt === null ? null : endsAt - startedAt;
  };

  expect([unlimited, limited, killed, awaited, promoted, never].map(after)).toEqual([
    null,
    60_000,
    30_000,
    300_000,
    60_000,
    null,
  ]);
  limited.changeLimits({ maxBackgroundTime: '90s' });
  expect(after(limited)).toBe(90_000);
});

test('a background process has no limit by default', async () => {
  await using rig = createVirtualHarness({ notifyAfterSilence: 0 });
  const handle = rig.supervisor.start({ command: 'npm run dev', background: true });

  rig.clock.advance(7 * 86_400_000);

  expect(handle.status).toBe('backgrounded');
});
