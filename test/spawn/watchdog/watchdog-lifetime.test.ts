import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, expect, test } from 'vitest';
import type { Clock } from '../../../src/clock/clock.ts';
import { createRealClock } from '../../../src/clock/real-clock.ts';
import { createWatchdog, type Watchdog } from '../../../src/spawn/watchdog/watchdog.ts';
import { createVirtualClock } from '../../../src/testing/virtual-clock.ts';
import { endAll, isAlive, startTicksOf, waitUntil } from '../../support/os.ts';

const started: number[] = [];
const watchdogs: Watchdog[] = [];

afterEach(async () => {
  await Promise.all(watchdogs.splice(0).map((watchdog) => watchdog.close()));
  await endAll(started.splice(0));
});

function create(errors: unknown[] = [], clock: Clock = createRealClock()): Watchdog {
  const watchdog = createWatchdog({
    supervisorId: `sup_life${process.pid}`,
    clock,
    reportError: (error) => errors.push(error),
  });
  watchdogs.push(watchdog);
  return watchdog;
}

function startSleep(): { pid: number; pgid: number; startedAt: string } {
  const { pid } = spawn('sleep', ['300'], { detached: true, stdio: 'ignore' });
  if (pid === undefined) throw new Error('cannot start sleep');
  started.push(pid);
  return { pid, pgid: pid, startedAt: startTicksOf(pid) ?? '' };
}

test('a watchdog starts with the first process', async () => {
  const watchdog = create();
  const before = watchdog.pid;

  watchdog.add(startSleep());

  expect(before).toBeNull();
  expect(isAlive(watchdog.pid ?? 0)).toBe(true);
});

test('an orderly close kills nothing', async () => {
  const watchdog = create();
  const process = startSleep();
  watchdog.add(process);
  const pid = watchdog.pid ?? 0;

  await Promise.all([watchdog.close(), watchdog.close()]);

  expect(isAlive(pid)).toBe(false);
  expect(isAlive(process.pid)).toBe(true);
});

test('closing an unstarted watchdog does nothing', async () => {
  await expect(create().close()).resolves.toBeUndefined();
});

test('a watchdog that keeps ending is given up for a while', async () => {
  const errors: unknown[] = [];
  const watchdog = create(errors);
  watchdog.add(startSleep());

  await waitUntil(() => {
    if (watchdog.pid !== null && isAlive(watchdog.pid)) process.kill(watchdog.pid, 'SIGKILL');
    return errors.length > 0;
  });
  watchdog.add(startSleep());

  expect(String(errors[0])).toMatch(/ended 5 times within 10000 ms/);
  expect(watchdog.pid).toBeNull();
});

/** Kills the watchdog so many times, each time once another one has replaced it. */
async function killRepeatedly(watchdog: Watchdog, times: number): Promise<void> {
  for (let killed = 0; killed < times; killed += 1) {
    const { pid } = watchdog;
    if (pid === null) throw new Error(`no watchdog runs after ${killed} kills`);
    process.kill(pid, 'SIGKILL');
    await waitUntil(() => watchdog.pid !== pid);
  }
}

test('a watchdog that was given up starts again ten seconds later', async () => {
  const errors: unknown[] = [];
  const clock = createVirtualClock();
  const watchdog = create(errors, clock);
  watchdog.add(startSleep());
  await killRepeatedly(watchdog, 5);

  watchdog.add(startSleep());
  clock.advance(9_999);
  const pidBefore = watchdog.pid;
  clock.advance(1);

  expect(pidBefore).toBeNull();
  expect(isAlive(watchdog.pid ?? 0)).toBe(true);
  expect(errors).toHaveLength(1);
});

test('a watchdog without groups is not replaced', async () => {
  const watchdog = create();
  watchdog.prepare();

  await killRepeatedly(watchdog, 1);

  expect(watchdog.pid).toBeNull();
});

test('a watchdog may end any number of times over hours', async () => {
  const errors: unknown[] = [];
  const clock = createVirtualClock();
  const watchdog = create(errors, clock);
  watchdog.add(startSleep());

  await killRepeatedly(watchdog, 4);
  clock.advance(10_000);
  await killRepeatedly(watchdog, 4);

  expect(isAlive(watchdog.pid ?? 0)).toBe(true);
  expect(errors).toEqual([]);
});

test('a halted watchdog that does not read is replaced', async () => {
  const watchdog = create();
  watchdog.add(startSleep());
  const pid = watchdog.pid ?? 0;
  process.kill(pid, 'SIGSTOP');

  // More than the pipe and the backlog take.
  for (let sent = 0; sent < 150; sent += 1) watchdog.exempt(`tool_${sent}_${'x'.repeat(4_000)}`);

  await waitUntil(() => watchdog.pid !== pid);
  expect(isAlive(pid)).toBe(false);
  expect(isAlive(watchdog.pid ?? 0)).toBe(true);
});

test('a halted watchdog does not hold up the close', async () => {
  const watchdog = create();
  watchdog.add(startSleep());
  const pid = watchdog.pid ?? 0;
  process.kill(pid, 'SIGSTOP');

  await watchdog.close();

  expect(isAlive(pid)).toBe(false);
});

test('an id with special characters is refused', () => {
  const clock = createRealClock();

  expect(() => createWatchdog({ supervisorId: 'a.*', clock })).toThrow(/supervisorId.*"a\.\*"/);
  expect(() => create().exempt('x|y')).toThrow(/processId.*"x\|y"/);
});

test('a watchdog does not keep the program alive', async () => {
  const at = (path: string): string => JSON.stringify(new URL(`../../../src/${path}`, import.meta.url));
  const script = `
    import { createRealClock } from ${at('clock/real-clock.ts')};
    import { createWatchdog } from ${at('spawn/watchdog/watchdog.ts')};
    const watchdog = createWatchdog({ supervisorId: 'sup_exit', clock: createRealClock() });
    watchdog.add({ pid: 1073741824, pgid: 1073741824, startedAt: '1' });
    console.log(watchdog.pid);`;

  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);

  await waitUntil(() => !isAlive(Number(stdout)));
});
