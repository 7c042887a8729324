import { spawn } from 'node:child_process';
import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import type { ToldFact } from '../../../src/spawn/backend.ts';
import { createPaneWriters } from '../../../src/spawn/tmux/pane-writers.ts';
import type { TmuxServer } from '../../../src/spawn/tmux/tmux-server.ts';
import { createCurrentTable } from '../../../src/spawn/tree/current-table.ts';
import { createVirtualClock } from '../../../src/testing/index.ts';
import { carriers, endAll, isAlive, tempDir, waitUntil } from '../../support/os.ts';
import type { TmuxRequest } from './arrange.ts';

const unusedPid = 2 ** 22 - 1;

/** Starts a leader whose launcher is dead. Its terminal is unknown to the tmux server, or still led by `launcher`. */
async function arrange({ launcher }: { launcher?: number } = {}) {
  const place = tempDir();
  const id = `tool_${Math.random().toString(36).slice(2, 10)}`;
  const leader = spawn('sleep', ['300'], { detached: true, env: { TROUPE_LINEAGE: `/sup_x/${id}/` } });
  onTestFinished(async () => {
    await endAll([], `/${id}/`);
    place.remove();
  });
  await waitUntil(() => carriers(`/${id}/`).length === 1);
  const status = place.file('status');
  writeFileSync(status, `\nlauncher 1 ${launcher ?? unusedPid}\n\nleader 1 ${leader.pid}\n`);
  const clock = createVirtualClock();
  let asked = 0;
  const ordered: string[] = [];
  const told: ToldFact[] = [];
  const writers = createPaneWriters({
    port: { clock, tell: (fact) => void told.push(fact) },
    request: { id, attempt: 1, files: { status } } as TmuxRequest,
    deps: {
      table: createCurrentTable(),
      trees: { get: () => ({ signal: async (signal: string) => [{ signal, via: 'group', pids: [1] }] }) },
    } as never,
    server: {
      findPane: async () => {
        asked += 1;
        return launcher === undefined ? null : { pid: launcher, isDead: false };
      },
      ask: async (commands) => {
        ordered.push(...commands.map((words) => words.join(' ')));
        return { ok: true, text: '' };
      },
    } satisfies Partial<TmuxServer> as never,
    opened: Promise.resolve(true),
  });
  const die = async () => {
    leader.kill('SIGKILL');
    await waitUntil(() => !isAlive(leader.pid ?? 0));
  };
  return {
    writers,
    clock,
    die,
    status,
    asked: () => asked,
    ordered,
    told,
    say: (line: string) => appendFileSync(status, `\n${line}\n`),
  };
}

test('a server that cannot be reached may still record an exit', async () => {
  const { writers, clock, die } = await arrange();
  const before = await writers.mayStillWrite();
  await die();

  const after = await writers.mayStillWrite();
  clock.advance(10_000);

  expect([before, after, await writers.mayStillWrite()]).toEqual([true, true, false]);
});

test('a server that drained the terminal writes no more', async () => {
  const { writers, die, say } = await arrange();
  await writers.mayStillWrite();
  await die();
  say('drained 1');

  expect(await writers.mayStillWrite()).toBe(false);
});

test('an exit recorded before is not awaited', async () => {
  const { writers, die } = await arrange();
  await die();

  expect(await writers.mayStillWrite()).toBe(false);
});

test('tmux is not asked while the leader lives, also without a status file', async () => {
  const { writers, status, asked } = await arrange();
  const { launcher, leader } = writers.read(null);
  if (leader === null) throw new Error('There is no leader.');
  writers.read({ launcher, leader });
  rmSync(status);

  const mayWrite = await writers.mayStillWrite();

  expect([mayWrite, asked()]).toEqual([true, 0]);
});

test('a server that missed the death of its child is nudged', async () => {
  const { writers, die, ordered } = await arrange({ launcher: unusedPid });
  await die();

  const mayWrite = await writers.mayStillWrite();

  expect(mayWrite).toBe(true);
  // A child that ends at once: with its death tmux looks for all.
  expect(ordered).toEqual(['run-shell -b exit']);
});

test('a server whose child is alive is not nudged', async () => {
  const { writers, die, ordered } = await arrange({ launcher: process.pid });
  await die();

  const mayWrite = await writers.mayStillWrite();

  expect([mayWrite, ordered]).toEqual([true, []]);
});

test('a terminal is open while its own launcher leads it', async () => {
  const own = await arrange({ launcher: process.pid });
  const foreign = await arrange({ launcher: process.pid });
  foreign.say(`launcher 1 ${unusedPid}`);
  const missing = await arrange();

  const areOpen = await Promise.all([own, foreign, missing].map(({ writers }) => writers.isOpen()));

  expect(areOpen).toEqual([true, false, false]);
});

test.each([
  ['gone', undefined, ['SIGHUP']],
  ['still there', process.pid, []],
] as const)(
  'a leader whose output nothing reads is hung up once if its terminal is %s',
  async (_, launcher, signals) => {
    const { writers, say, told } = await arrange(launcher === undefined ? {} : { launcher });
    say('drained 1');

    const mayWrite = [await writers.mayStillWrite(), await writers.mayStillWrite()];

    expect(mayWrite).toEqual([true, true]);
    expect(told.map((fact) => 'signal' in fact && fact.signal)).toEqual(signals);
  },
);
