import { spawn } from 'node:child_process';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createCurrentTable } from '../../../src/spawn/tree/current-table.ts';
import { describeSuspects, isSuspectAlive } from '../../../src/spawn/tree/suspects.ts';
import { endAll, startTicksOf, waitUntil } from '../../support/os.ts';

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

    expect(await table.filterUntraceable(await table.readAll([pid, process.pid]))).toEqual([]);
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
