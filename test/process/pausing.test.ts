import { expect, test } from 'vitest';
import type { ProcessHandle } from '../../src/index.ts';
import { createVirtualHarness, turn } from '../support/virtual.ts';

function signalsOf(handle: ProcessHandle): readonly string[] {
  return handle
    .timeline()
    .filter(({ type }) => ['process.signalled', 'process.paused', 'process.resumed'].includes(type))
    .map(({ type, by, detail }) => `${type.replace('process.', '')} by ${by}: ${detail}`);
}

const pausedAt = (handle: ProcessHandle) => (handle.view() as { pausedAt?: number | null }).pausedAt;

test('a paused process says since when', async () => {
  await using rig = createVirtualHarness({ epochMs: 1_000 });
  const handle = rig.supervisor.start({ command: 'x', background: true });
  const before = pausedAt(handle);
  await rig.pass(500);

  const answer = await handle.pause('agent');
  await rig.pass(5_000);

  expect(answer).toEqual({ ok: true, pids: [1], message: `Process ${handle.id} is paused (1 process).` });
  expect(rig.run(0).isPaused).toBe(true);
  expect([before, pausedAt(handle)]).toEqual([null, 1_500]);
  expect(handle.status).toBe('backgrounded');
  expect(rig.count('process.paused')).toBe(1);
});

test('a resumed process is paused no more', async () => {
  await using rig = createVirtualHarness();
  const handle = rig.supervisor.start({ command: 'x', background: true });
  await handle.pause();

  const answer = await handle.resume();

  expect(answer).toMatchObject({ ok: true, message: `Process ${handle.id} continues (1 process).` });
  expect(rig.run(0).isPaused).toBe(false);
  expect(pausedAt(handle)).toBeNull();
  expect(signalsOf(handle)).toEqual(['paused by user: 1 process', 'resumed by user: 1 process']);
});

test('a second pause is answered and not recorded', async () => {
  await using rig = createVirtualHarness();
  const handle = rig.supervisor.start({ command: 'x', background: true });
  await handle.pause();

  const { message } = await handle.pause();

  expect(message).toBe(`Process ${handle.id} was already paused (1 process).`);
  expect(rig.count('process.paused')).toBe(1);
});

test('SIGSTOP pauses a process, and SIGCONT resumes it', async () => {
  await using rig = createVirtualHarness();
  const handle = rig.supervisor.start({ command: 'x', background: true });

  await handle.signal('SIGSTOP');
  const wasPaused = rig.run(0).isPaused;
  await handle.signal({ signal: 'SIGCONT', by: 'agent' });

  expect([wasPaused, rig.run(0).isPaused]).toEqual([true, false]);
  expect(rig.run(0).signals).toEqual([]);
});

test('the silence of a paused process is not reported', async () => {
  await using rig = createVirtualHarness();
  const handle = rig.supervisor.start({ command: 'x', background: true, notifyAfterSilence: '10s' });
  await handle.pause();
  await rig.pass(60_000);
  const whilePaused = rig.count('process.silent');

  await handle.resume();
  await rig.pass(9_000);
  const before = rig.count('process.silent');
  await rig.pass(2_000);

  expect([whilePaused, before, rig.count('process.silent')]).toEqual([0, 0, 1]);
});

test('a process promoted while paused is not silent', async () => {
  await using rig = createVirtualHarness();
  const handle = rig.supervisor.start({ command: 'x', timeout: '5s', notifyAfterSilence: '10s' });
  await handle.pause();

  await rig.pass(60_000);

  expect(handle.status).toBe('backgrounded');
  expect(pausedAt(handle)).not.toBeNull();
  expect(rig.count('process.silent')).toBe(0);
});

test('a quiet watch says nothing of a paused process', async () => {
  await using rig = createVirtualHarness();
  const handle = rig.supervisor.start({ command: 'x', background: true });
  const told: string[] = [];
  rig.supervisor.news$.subscribe(({ type }) => told.push(type));
  rig.supervisor.watch(handle.id, { quiet: '1s' });
  await handle.pause();
  await rig.pass(10_000);
  const whilePaused = told.length;

  await handle.resume();
  await rig.pass(5_000);

  expect([whilePaused, told]).toEqual([0, ['watch.quiet']]);
});

test('a time limit ends a paused process', async () => {
  await using rig = createVirtualHarness();
  const handle = rig.supervisor.start({ command: 'x', background: true, maxBackgroundTime: '10s' });
  await handle.pause();

  await rig.pass(10_000);

  expect(await handle.ended).toMatchObject({ status: 'timed_out' });
  expect(rig.run(0).isPaused).toBe(false);
});

test('leftovers of a paused process continue once its leader has ended', async () => {
  await using rig = createVirtualHarness();
  const handle = rig.supervisor.start({ command: 'x', background: true });
  rig.run(0).children = [{ pid: 5, pgid: 5, startedAt: '1', command: 'sleep 5' }];
  await handle.pause();

  rig.run(0).exit({ signal: 'SIGKILL' });
  await rig.pass(100);

  expect(handle.status).toBe('failed');
  expect(rig.run(0).isPaused).toBe(false);
});

test('a signal that does not stop is sent and recorded', async () => {
  await using rig = createVirtualHarness();
  const handle = rig.supervisor.start({ command: 'x', background: true });
  rig.run(0).children = [{ pid: 5, pgid: 5, startedAt: '1', command: 'sleep 5' }];

  const answer = await handle.signal('SIGHUP');
  const toLeader = await handle.signal({ signal: 'SIGRTMIN+1', to: 'leader', by: 'agent' });

  expect(answer).toEqual({
    ...{ ok: true, pids: [1, 5], message: `SIGHUP was sent to 2 processes of ${handle.id}.` },
  });
  expect(toLeader).toMatchObject({ ok: true, pids: [1] });
  expect(rig.run(0).signals).toEqual(['SIGHUP', 'SIGRTMIN+1']);
  expect(handle.status).toBe('backgrounded');
  expect(signalsOf(handle)).toEqual([
    'signalled by user: SIGHUP to 2 processes (1, 5)',
    'signalled by agent: SIGRTMIN+1 to 1 process (1)',
  ]);
  expect(handle.timeline().at(-1)?.signal).toEqual({ signal: 'SIGRTMIN+1', via: 'process', pids: [1] });
});

test('a signal to a paused process says when it arrives', async () => {
  await using rig = createVirtualHarness();
  const handle = rig.supervisor.start({ command: 'x', background: true });
  await handle.pause();

  const { message } = await handle.signal('SIGUSR1');

  expect(message).toContain('It is paused, and hears of it when it is resumed.');
});

test('a process that ends of a sent signal names its sender', async () => {
  await using rig = createVirtualHarness();
  const [sent, other] = [0, 1].map(() => rig.supervisor.start({ command: 'x', background: true }));
  await sent?.signal({ signal: 'SIGUSR1', by: 'agent' });

  rig.run(0).exit({ signal: 'SIGUSR1' });
  rig.run(1).exit({ signal: 'SIGUSR1' });

  expect((await sent?.ended)?.reason).toEqual({ type: 'signalled', signal: 'SIGUSR1', by: 'agent' });
  expect((await other?.ended)?.reason).toEqual({ type: 'signalled', signal: 'SIGUSR1', by: 'outside' });
});

test.each([
  ['an ended process', 'ended', (rig: Rig) => rig.run(0).exit()],
  ['a stopping process', 'stopping', (_: Rig, handle: ProcessHandle) => void handle.kill()],
] as const)('%s is not signalled', async (_, code, prepare) => {
  await using rig = createVirtualHarness();
  const handle = rig.supervisor.start({ command: 'x', background: true });
  rig.run(0).obeys = (signal) => signal === 'SIGKILL';
  prepare(rig, handle);
  await rig.pass(200);

  const answers = [await handle.signal('SIGHUP'), await handle.pause(), await handle.resume()];

  for (const answer of answers)
    expect(answer).toMatchObject({
      ok: false,
      code,
      message: expect.stringContaining('was not signalled: it'),
    });
  expect(rig.run(0).signals).not.toContain('SIGHUP');
});

type Rig = ReturnType<typeof createVirtualHarness>;

test('a process that has not started is not signalled', async () => {
  await using rig = createVirtualHarness({ maxParallelTools: 1 });
  rig.supervisor.start({ command: 'x' });
  const queued = rig.supervisor.start({ command: 'y' });

  expect(await queued.pause()).toMatchObject({ ok: false, code: 'notStarted' });
});

test('a function has no process that could be signalled', async () => {
  await using rig = createVirtualHarness();
  const handle = rig.supervisor.start({ run: () => new Promise(() => {}), background: true });
  await turn();

  const answer = await handle.pause();

  expect(answer).toEqual({
    ...{ ok: false, code: 'notReached' },
    message: `Process ${handle.id} was not reached. It is a function inside this program, without a process of its own: it can only be ended.`,
  });
  expect(pausedAt(handle)).toBeNull();
});

test.each(['SIGKILL', 'SIGNONSENSE', ''])('the signal %j is refused', async (signal) => {
  await using rig = createVirtualHarness();
  const handle = rig.supervisor.start({ command: 'x', background: true });

  await expect(handle.signal(signal as 'SIGHUP')).rejects.toMatchObject({ code: 'invalid-option' });
  expect(rig.run(0).signals).toEqual([]);
});

test.each(['SIGSTOP', 'SIGCONT', 'SIGWINCH'])('a kill does not begin with %s', async (signal) => {
  await using rig = createVirtualHarness();
  const handle = rig.supervisor.start({ command: 'x', background: true });

  await expect(handle.kill(signal as 'SIGTERM')).rejects.toThrow(
    /troupe signal, sends any without ending it/,
  );
  expect(handle.status).toBe('backgrounded');
});
