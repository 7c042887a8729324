import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import {
  createStarter,
  LARGE_HOST_BYTES,
  type Starter,
  type StarterOptions,
} from '../../../src/spawn/starter/starter.ts';
import { StarterEnded } from '../../../src/spawn/starter/starter-process.ts';
import { endAll, isAlive, sessionOf, startTicksOf, stateOf, tempDir, waitUntil } from '../../support/os.ts';
import { turn } from '../../support/virtual.ts';

const starters: Starter[] = [];
const started: number[] = [];

afterEach(async () => {
  await Promise.all(starters.splice(0).map((starter) => starter.close()));
  await endAll(started.splice(0));
});

function create(options: Partial<StarterOptions> = {}) {
  const errors: unknown[] = [];
  const starter = createStarter({
    use: true,
    inheritedLineage: undefined,
    reportError: (error) => errors.push(error),
    ...options,
  });
  starters.push(starter);
  return { starter, errors };
}

async function run(starter: Starter, script: string) {
  const child = await starter.start({
    command: ['/bin/sh', '-c', script],
    cwd: '/',
    env: {},
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  started.push(child.pid);
  return child;
}

test('a starter reports the code of an exit', async () => {
  const { starter } = create();

  const { exited } = await run(starter, 'exit 7');

  expect(await exited).toEqual({ code: 7, signal: null });
});

test('a starter reports the signal of an end', async () => {
  const { starter } = create();

  const { exited } = await run(starter, 'kill -USR1 $$');

  expect(await exited).toEqual({ code: null, signal: 'SIGUSR1' });
});

test('a started program leads a session of its own', async () => {
  const { starter } = create();

  const { pid, startTicks } = await run(starter, 'exec sleep 300');

  expect(sessionOf(pid)).toBe(pid);
  expect(startTicks).toBe(startTicksOf(pid));
});

test('a started program gets exactly the given environment', async () => {
  const { starter } = create();
  const directory = tempDir();
  const log = directory.file('log');
  const fd = openSync(log, 'w');
  const env = { 'a.b': 'é\u2028\n', PATH: '/usr/bin:/bin' };

  const { exited } = await starter.start({
    command: ['env', '-0'],
    cwd: '/',
    env,
    stdio: ['ignore', { fd, access: 'write' }, 'ignore'],
  });
  await exited;
  closeSync(fd);

  const lines = readFileSync(log, 'utf8').split('\0').slice(0, -1).sort();
  expect(lines).toEqual(
    Object.entries(env)
      .map(([name, value]) => `${name}=${value}`)
      .sort(),
  );
  directory.remove();
});

test('a missing program rejects as spawn does', async () => {
  const { starter } = create();
  const order = { cwd: '/', env: {}, stdio: ['ignore'] } as const;

  const start = starter.start({ ...order, command: ['/no/such/program'] });

  await expect(start).rejects.toMatchObject({ code: 'ENOENT' });
});

const toRun = (script: string, input = '') => ({
  command: ['/bin/sh', '-c', script] as const,
  env: { PATH: '/usr/bin:/bin', NAME: 'value' },
  input,
  timeoutMs: 60_000,
});

test('a short program reads its input and returns what it printed', async () => {
  const { starter } = create();

  const result = await starter.run(toRun('cat; printf "$NAME" >&2; pwd', 'é\n'));

  expect(result).toMatchObject({ failed: false, stdout: 'é\n/\n', stderr: 'value' });
});

test('a short program that fails returns what it printed', async () => {
  const { starter } = create();

  const result = await starter.run(toRun('echo out; echo why >&2; exit 3'));

  expect(result).toMatchObject({ failed: true, stdout: 'out\n', stderr: 'why\n' });
});

test('a short program that takes too long is killed', async () => {
  const { starter } = create();

  const result = await starter.run({ ...toRun('exec sleep 300'), timeoutMs: 100 });

  expect(result.failed).toBe(true);
});

test.each([
  ['is missing', '/no/such/program', 'spawn /no/such/program ENOENT'],
  ['cannot be named', 'a\0b', "The argument 'file' must be a string without null bytes. Received 'a\\x00b'"],
])('a short program that %s has failed', async (_, file, shortMessage) => {
  const { starter } = create();

  const result = await starter.run({ ...toRun(''), command: [file] });

  expect(result).toMatchObject({ failed: true, shortMessage });
  expect((await starter.run(toRun('echo on'))).stdout).toBe('on\n');
});

test('a short program whose starter is killed rejects', async () => {
  const { starter } = create();
  const running = starter.run(toRun('exec sleep 3'));
  await waitUntil(() => starter.pid !== null);

  process.kill(starter.pid ?? 0, 'SIGKILL');

  await expect(running).rejects.toBeInstanceOf(StarterEnded);
});

test('a starter begins with its first order', async () => {
  const { starter } = create();
  const before = starter.pid;

  await run(starter, 'exit 0');

  expect(before).toBeNull();
  expect(isAlive(starter.pid ?? 0)).toBe(true);
});

test('a starter is announced from its begin to its end', async () => {
  const changes: unknown[] = [];
  const { starter } = create({ onChange: (change) => changes.push(change) });
  await run(starter, 'exit 0');
  const { pid } = starter;

  await starter.close();

  expect(changes).toEqual([{ began: pid }, { ended: pid }]);
});

test('a killed starter leaves the exit unknown and the program alive', async () => {
  const { starter } = create();
  const { pid, exited } = await run(starter, 'exec sleep 300');

  process.kill(starter.pid ?? 0, 'SIGKILL');

  expect(await exited).toBeNull();
  expect(isAlive(pid)).toBe(true);
});

test('a killed starter is replaced by the next order', async () => {
  const { starter } = create();
  await run(starter, 'exit 0');
  const first = starter.pid ?? 0;
  process.kill(first, 'SIGKILL');
  await waitUntil(() => starter.pid === null);

  const { exited } = await run(starter, 'exit 3');

  expect(await exited).toEqual({ code: 3, signal: null });
  expect(starter.pid).not.toBe(first);
});

test('an order that a killed starter did not answer is rejected', async () => {
  const { starter } = create();
  await run(starter, 'exit 0');
  process.kill(starter.pid ?? 0, 'SIGSTOP');
  await waitUntil(() => stateOf(starter.pid ?? 0) === 'T');

  const start = run(starter, 'exit 0');
  process.kill(starter.pid ?? 0, 'SIGKILL');

  await expect(start).rejects.toBeInstanceOf(StarterEnded);
});

test('a closed starter leaves its programs alone', async () => {
  const { starter } = create();
  const { pid } = await run(starter, 'exec sleep 300');
  const own = starter.pid ?? 0;

  await starter.close();

  expect(isAlive(own)).toBe(false);
  expect(isAlive(pid)).toBe(true);
});

/** Replaces the Node that runs starters until the end of the test. */
function replaceNode(path: string): void {
  const { execPath } = process;
  process.execPath = path;
  onTestFinished(() => {
    process.execPath = execPath;
  });
}

test('a starter that ends before it is ready is given up after three tries', async () => {
  const { starter, errors } = create();
  using place = tempDir();
  writeFileSync(place.file('node'), '#!/bin/sh\nexit 3\n', { mode: 0o755 });
  replaceNode(place.file('node'));
  const isUsed: boolean[] = [];

  for (let tries = 1; tries <= 3; tries += 1) {
    isUsed.push(starter.isUsed());
    await expect(run(starter, 'exit 0')).rejects.toThrow('the starter process ended (code 3)');
  }

  expect([...isUsed, starter.isUsed()]).toEqual([true, true, true, false]);
  expect(errors.map(String)).toEqual(
    Array(3).fill('Error: the starter process ended (code 3); programs are started without it for now'),
  );
});

test('a starter that cannot be started is reported once', async () => {
  const changes: unknown[] = [];
  const { starter, errors } = create({ onChange: (change) => changes.push(change) });
  replaceNode('/no/such/node');

  await expect(run(starter, 'exit 0')).rejects.toBeInstanceOf(StarterEnded);
  await starter.close();
  await turn(10);

  expect(errors.map(String)).toEqual([
    'Error: the starter process ended (spawn /no/such/node ENOENT); programs are started without it for now',
  ]);
  expect(changes).toEqual([]);
});

test('a starter that once was ready may end any number of times', async () => {
  const { starter, errors } = create();

  for (let ends = 1; ends <= 3; ends += 1) {
    await run(starter, 'exit 0');
    process.kill(starter.pid ?? Number.NaN, 'SIGKILL');
    await waitUntil(() => starter.pid === null);
  }

  expect([starter.isUsed(), errors]).toEqual([true, []]);
});

test.each([
  { use: 'auto', rss: LARGE_HOST_BYTES - 1, isUsed: false },
  { use: 'auto', rss: LARGE_HOST_BYTES, isUsed: true },
  { use: true, rss: 0, isUsed: true },
  { use: false, rss: 2 * LARGE_HOST_BYTES, isUsed: false },
] as const)('starter: $use with $rss bytes of memory uses it: $isUsed', ({ use, rss, isUsed }) => {
  const { starter } = create({ use, rssBytes: () => rss });

  expect(starter.isUsed()).toBe(isUsed);
});

test('a program whose memory cannot be read counts as small', () => {
  const { rss } = process.memoryUsage;
  process.memoryUsage.rss = () => {
    throw Object.assign(new Error('EMFILE'), { code: 'EMFILE' });
  };
  const { starter } = create({ use: 'auto' });

  expect(starter.isUsed()).toBe(false);
  process.memoryUsage.rss = rss;
});
