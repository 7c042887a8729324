import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { carriers, endAll, isAlive, waitUntil, watchdogsOf } from '../../support/os.ts';
import { type StandIn, startStandIn } from './stand-in.ts';

const standIns: StandIn[] = [];

afterEach(async () => {
  for (const standIn of standIns.splice(0)) await standIn.end();
});

async function start(kind: Parameters<typeof startStandIn>[0]): Promise<StandIn> {
  const standIn = await startStandIn(kind);
  standIns.push(standIn);
  return standIn;
}

/** Starts a process without a cookie, known by its pid file; it ends with the test at the latest. */
function bareAt(path: string): number {
  const pid = Number(readFileSync(path, 'utf8'));
  onTestFinished(() => endAll([pid]));
  return pid;
}

test('no tree survives a killed supervisor', async () => {
  const supervisor = await start('tree');
  const programs = ['ignores-term', 'grandchild-marker', 'setsid-grandchild', 'double-fork', 'bare-child'];
  await waitUntil(() => programs.every((name) => existsSync(supervisor.file(name))));
  const pids = programs.map((name) => Number(readFileSync(supervisor.file(name), 'utf8'))).filter(Boolean);
  const bare = bareAt(supervisor.file('bare-child'));

  supervisor.kill();
  await supervisor.watchdogEnd();

  expect(supervisor.alive()).toEqual([]);
  // SIGKILL was sent; the kernel carries it out a moment later.
  await waitUntil(() => !isAlive(bare));
  expect(pids).toHaveLength(3);
  expect(pids.filter(isAlive)).toEqual([]);
});

test('a group not yet sent is killed by its cookie', async () => {
  const supervisor = await start('unsent');
  await waitUntil(() => existsSync(supervisor.file('bare')));
  const bare = bareAt(supervisor.file('bare'));

  supervisor.kill();
  await supervisor.watchdogEnd();

  await waitUntil(() => !isAlive(bare));
  expect(supervisor.alive()).toEqual([]);
});

test('a descendant without session and environment is killed if it was sampled', async () => {
  const supervisor = await start('sampled');
  const escaped = bareAt(supervisor.file('escaped'));
  const wasAlive = isAlive(escaped);

  supervisor.kill();
  await supervisor.watchdogEnd();

  await waitUntil(() => !isAlive(escaped));
  expect(wasAlive).toBe(true);
});

test('a supervisor killed in a spawn loop leaves no process', { timeout: 120_000 }, async () => {
  for (let round = 0; round < 5; round += 1) {
    const supervisors = await Promise.all(Array.from({ length: 4 }, () => start('loop')));

    await Promise.all(
      supervisors.map(async (supervisor, index) => {
        await waitUntil(() => readdirSync(supervisor.file('.')).length > round + index);
        supervisor.kill();
        await supervisor.watchdogEnd();
      }),
    );

    expect(supervisors.flatMap((supervisor) => supervisor.alive())).toEqual([]);
    for (const supervisor of supervisors) await supervisor.end();
  }
});

test('a watchdog that was killed is replaced', async () => {
  const supervisor = await start('idle');
  await waitUntil(() => existsSync(supervisor.file('first')));
  process.kill(supervisor.watchdogPid, 'SIGKILL');
  await waitUntil(() => !isAlive(supervisor.watchdogPid));
  await waitUntil(() => watchdogsOf(supervisor.supervisorId).length === 1);
  const [replacement = 0] = watchdogsOf(supervisor.supervisorId);

  supervisor.kill();
  await waitUntil(() => !isAlive(replacement));

  expect(supervisor.alive()).toEqual([]);
});

/** Waits for the watchdog's traps; a signal before them ends it, and it is replaced. */
function ignores(pid: number, signals: readonly NodeJS.Signals[]): boolean {
  const [, mask] = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  const ignored = BigInt(`0x${mask ?? 0}`);
  return signals.every((signal) => (ignored >> BigInt(constants.signals[signal] - 1)) % 2n === 1n);
}

test('a watchdog ignores polite signals', async () => {
  const supervisor = await start('idle');
  const polite = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGPIPE'] as const;
  await waitUntil(() => ignores(supervisor.watchdogPid, polite));
  for (const signal of polite) process.kill(supervisor.watchdogPid, signal);

  supervisor.kill();
  await supervisor.watchdogEnd();

  expect(supervisor.alive()).toEqual([]);
});

test('a watchdog leaves foreign processes alone', async () => {
  const [dying, living] = await Promise.all([start('idle'), start('idle')]);
  await waitUntil(() => existsSync(living.file('first')));

  dying.kill();
  await dying.watchdogEnd();

  expect(dying.alive()).toEqual([]);
  expect(living.alive().length).toBeGreaterThan(0);
  expect(isAlive(living.watchdogPid)).toBe(true);
});

test('an exempt process survives its supervisor', async () => {
  const supervisor = await start('exempt');
  await waitUntil(() => existsSync(supervisor.file('spared')) && existsSync(supervisor.file('doomed')));

  supervisor.kill();
  await supervisor.watchdogEnd();

  expect(carriers(`/${supervisor.supervisorId}/tool_doomed/`)).toEqual([]);
  await waitUntil(() => carriers(`/${supervisor.supervisorId}/tool_exempt/`).length > 0);
});
