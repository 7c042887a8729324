import { spawn, spawnSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createCurrentTable } from '../../../src/spawn/tree/current-table.ts';
import { describeSuspects, isSuspectAlive } from '../../../src/spawn/tree/suspects.ts';
import { commandOf, endAll, startTicksOf, tempDir, waitUntil } from '../../support/os.ts';

const nginx = { pid: 11, pgid: 11, startedAt: '1', command: 'nginx: master' };
const redis = { pid: 12, pgid: 12, startedAt: '1', command: 'redis-server *:6379' };

test('a single suspect is described in the singular, with what ends it', () => {
  expect(describeSuspects([nginx])).toBe(
    'Possibly left running by it: 11 (nginx: master). It began meanwhile and hides its origin, so it was not signalled; to end it: kill 11',
  );
});

test('several suspects are described in the plural, and none in no words', () => {
  expect(describeSuspects([nginx, redis])).toBe(
    'Possibly left running by it: 11 (nginx: master), 12 (redis-server *:6379). They began meanwhile and hide their origin, so they were not signalled; to end them: kill 11 12',
  );
  expect(describeSuspects([])).toBe('');
});

describe.skipIf(process.platform !== 'linux')('on Linux', () => {
  /** Starts a program without an environment, in a session of its own. */
  async function startHidden(): Promise<number> {
    const child = spawn('sleep', ['1000'], { env: {}, detached: true, stdio: 'ignore' });
    onTestFinished(() => endAll([child.pid ?? 0]));
    await waitUntil(() => startTicksOf(child.pid ?? 0) !== null);
    return child.pid ?? 0;
  }

  test('a child of this program is no suspect, whatever its environment', async () => {
    const pid = await startHidden();
    const table = createCurrentTable();

    expect(await table.filterUntraceable(await table.readAll([pid, process.pid]), null)).toEqual([]);
  });

  /** Starts a program in a session of its own whose parent has ended, and returns whether it is a suspect for a process in a directory. */
  async function startOrphan(variable: string) {
    const place = tempDir();
    const link = place.file('link');
    symlinkSync('.', link);
    const { stdout } = spawnSync(
      'sh',
      ['-c', 'setsid env -i "$0" sleep 1000 >/dev/null 2>&1 & echo $!', variable],
      {
        cwd: place.path,
        encoding: 'utf8',
      },
    );
    const pid = Number(stdout);
    onTestFinished(async () => {
      await endAll([pid]);
      place.remove();
    });
    await waitUntil(() => commandOf(pid)[0] === 'sleep', { what: 'it has its environment' });
    const table = createCurrentTable();
    const isSuspectIn = async (cwd: string | null) =>
      (await table.filterUntraceable(await table.readAll([pid]), cwd)).length === 1;
    return { path: place.path, link, isSuspectIn };
  }

  test('an orphan with an environment of its own is a suspect where the process was started', async () => {
    const { path, link, isSuspectIn } = await startOrphan('KEY=1');

    expect(await Promise.all([path, link].map(isSuspectIn))).toEqual([true, true]);
    expect(await Promise.all([dirname(path), '/nowhere', null].map(isSuspectIn))).toEqual([
      false,
      false,
      false,
    ]);
  });

  test('an orphan of a known origin is no suspect', async () => {
    const { path, isSuspectIn } = await startOrphan('TROUPE_LINEAGE=/');

    expect(await isSuspectIn(path)).toBe(false);
  });

  test('a suspect is alive as long as its pid and its start time are the same', async () => {
    const pid = await startHidden();
    const startedAt = startTicksOf(pid) ?? '';

    expect(isSuspectAlive({ ...nginx, pid, startedAt })).toBe(true);
    expect(isSuspectAlive({ ...nginx, pid, startedAt: '1' })).toBe(false);
    await endAll([pid]);
    expect(isSuspectAlive({ ...nginx, pid, startedAt })).toBe(false);
  });
});
