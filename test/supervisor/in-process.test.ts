import { expect, test } from 'vitest';
import { createSupervisor, type FunctionSpec } from '../../src/index.ts';
import { createVirtualClock } from '../../src/testing/index.ts';
import { tempDir } from '../support/os.ts';
import { createVirtualHarness, turn } from '../support/virtual.ts';

type Run = FunctionSpec['run'];

async function execute(run: Run) {
  await using supervisor = createSupervisor({ stateDirectory: false });
  return await supervisor.execute({ run });
}

const untilAborted: Run = ({ signal }) =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });

test('the value that a function returns is its data', async () => {
  expect(await execute(async () => 'text')).toMatchObject({
    type: 'completed',
    stdout: 'text',
    process: { pid: null },
  });
  expect(await execute(async () => ({ files: 2 }))).toMatchObject({ stdout: '{"files":2}\n' });
  expect(await execute(async () => undefined)).toMatchObject({ type: 'completed', stdout: '' });
  expect(await execute(async () => ({ ok: false }))).toMatchObject({
    type: 'completed',
    answer: null,
    stdout: '{"ok":false}\n',
  });
});

test('the value that an agent function returns is its answer', async () => {
  await using supervisor = createSupervisor({ stateDirectory: false });
  const run: Run = async () => ({ ok: false, error: 'none' });

  expect(await supervisor.execute({ run, kind: 'agent' })).toMatchObject({
    answer: { ok: false, error: 'none' },
  });
});

test('a result that JSON cannot tell is its text', async () => {
  const named = function named() {};

  expect(await execute(async () => Symbol('x'))).toMatchObject({ type: 'completed', stdout: 'Symbol(x)\n' });
  expect(await execute(async () => named)).toMatchObject({ type: 'completed', stdout: `${named}\n` });
});

test('a function has a lifecycle like a command', async () => {
  await using rig = createVirtualHarness();
  let finish = (_: string) => {};
  const handle = rig.supervisor.start({ run: () => new Promise<string>((resolve) => (finish = resolve)) });
  await turn();
  expect(handle.view()).toMatchObject({ status: 'running', pid: null, mode: 'in_process' });
  rig.clock.advance(30_000);
  expect(handle.status).toBe('backgrounded');

  finish('done');

  expect(await handle.ended).toMatchObject({ status: 'completed', exit: { code: 0, signal: null } });
  expect(handle.read().text).toBe('done');
});

test('a function that rejects has failed', async () => {
  const result = await execute(async ({ stdout }) => {
    stdout('begun\n');
    throw new Error('broken');
  });

  expect(result).toMatchObject({ type: 'failed', exitCode: 1 });
  expect(result).toHaveProperty('stderr', expect.stringContaining('Error: broken'));
});

test.each([
  ['throws at once', (() => boom()) as unknown as Run],
  ['rejects with nothing', () => Promise.reject(undefined)],
  ['returns no promise', (() => 7) as unknown as Run],
  ['returns a circle', async () => toCircle()],
  ['returns a big integer', async () => 1n],
  ['returns a symbol', async () => Symbol('x')],
])('a function that %s ends', async (_, run) => {
  const { type } = await execute(run);

  expect(['completed', 'failed']).toContain(type);
});

test('a kill aborts the function', async () => {
  await using rig = createVirtualHarness();
  const handle = rig.supervisor.start({ run: untilAborted });
  await turn();

  const answer = await handle.kill({ by: 'agent' });

  expect(answer).toMatchObject({ type: 'killed', receipt: { escalated: false, survivors: [] } });
  expect(await handle.ended).toMatchObject({ status: 'killed', reason: { type: 'killed', by: 'agent' } });
});

test('a limit aborts the function', async () => {
  await using rig = createVirtualHarness();
  const handle = rig.supervisor.start({ run: untilAborted, background: true, maxBackgroundTime: '1m' });
  await turn();

  rig.clock.advance(60_000);

  expect((await handle.ended).status).toBe('timed_out');
});

test('a function that ignores its signal stays stopping', async () => {
  const rig = createVirtualHarness();
  let finish = () => {};
  const handle = rig.supervisor.start({ run: () => new Promise<void>((resolve) => (finish = resolve)) });
  await turn();
  const answer = handle.kill({ grace: '1s' });
  rig.clock.advance(10_000);

  expect(await answer).toMatchObject({
    type: 'killed',
    message: expect.stringContaining('It stays "stopping"'),
  });
  expect(handle.status).toBe('stopping');
  finish();

  expect((await handle.ended).status).toBe('killed');
  await rig.supervisor.shutdown();
});

test('a shutdown names a function that ignores it', async () => {
  const rig = createVirtualHarness();
  const { id } = rig.supervisor.start({ run: () => new Promise(() => {}) });
  await turn();
  const done = rig.supervisor.shutdown();

  rig.clock.advance(60_000);

  expect((await done).survivors).toEqual([{ id, members: [] }]);
});

test('functions count against the same limits', async () => {
  await using rig = createVirtualHarness({ maxParallelAgents: 1 });
  const start = () => rig.supervisor.start({ run: untilAborted, kind: 'agent' });

  const [first, second] = [start(), start()];
  await turn();

  expect([first.status, second.status]).toEqual(['running', 'pending']);
});

test('a function prints as it goes', async () => {
  await using rig = createVirtualHarness();
  let print = (_: string) => {};
  const handle = rig.supervisor.start({
    run: ({ id, stdout, signal }) => {
      print = stdout;
      return untilAborted({ id, stdout, stderr: stdout, signal });
    },
  });
  await turn();

  print('so far');

  expect(handle.read()).toMatchObject({ text: 'so far', ended: false });
});

test('a function has no input', async () => {
  await using rig = createVirtualHarness();
  const handle = rig.supervisor.start({ run: untilAborted });
  await turn();

  expect(await handle.write('x')).toMatchObject({ ok: false, bytesWritten: 0 });
  expect(await handle.endInput()).toMatchObject({ ok: false });
});

test('a function needs nothing of the system', async () => {
  using place = tempDir();
  const clock = createVirtualClock();
  await using supervisor = createSupervisor({ clock, cwd: place.path });

  expect(await supervisor.execute({ run: async () => '', logFile: false })).toMatchObject({
    type: 'completed',
  });
});

function boom(): never {
  throw new Error('boom');
}

function toCircle(): object {
  const circle: { self?: object } = {};
  circle.self = circle;
  return circle;
}

test('the result reports a function that cannot be ended', async () => {
  await using rig = createVirtualHarness();
  const result = rig.supervisor.execute({
    run: () => new Promise(() => {}),
    timeout: 200,
    onTimeout: 'kill',
    killGrace: 100,
  });

  await turn();
  for (let step = 0; step < 5; step += 1) {
    rig.clock.advance(1_000);
    await turn();
  }

  expect(await result).toMatchObject({
    type: 'survived',
    message: expect.stringContaining('is not gone'),
    process: { status: 'stopping' },
  });
});

test.each([
  [{ headBytes: 0, maxBufferBytes: 1024 }, {}],
  [{}, { headBytes: 0, maxBufferBytes: 1024 }],
])('`headBytes: 0` keeps the newest bytes alone', async (options, spec) => {
  await using supervisor = createSupervisor({ stateDirectory: false, ...options });
  const text = `${'old '.repeat(1_000)}${'new '.repeat(256)}`;

  const process = supervisor.start({ run: async () => text, ...spec });
  await process.ended;

  expect(process.read({ format: 'raw' }).text.replace(/^\[.*\]\n/, '')).toBe('new '.repeat(256));
});
