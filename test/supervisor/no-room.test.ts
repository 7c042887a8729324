import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { fixtureProgram } from '../support/os.ts';

/** As a user of its own, who has no other processes; `null` where that cannot be done here. */
function runAsStranger(limit: string, args: readonly string[]) {
  const uid = `${50_000 + (process.pid % 10_000)}`;
  const user = ['--reuid', uid, '--regid', uid, '--clear-groups'];
  return spawnSync('setpriv', [...user, 'prlimit', limit, process.execPath, ...args], {
    encoding: 'utf8',
    cwd: '/',
    env: { PATH: process.env['PATH'] },
  });
}

const program = fixtureProgram('uses-up-processes.ts');
const canRun = process.getuid?.() === 0 && runAsStranger('--nproc=60', ['--check', program]).status === 0;

test.skipIf(!canRun)('a program lives on when the system has no room for a process', () => {
  const { status, signal, stdout } = runAsStranger('--nproc=20', [program]);

  expect({ status, signal }).toEqual({ status: 0, signal: null });
  expect(stdout).toContain('The system has no resources for');
});
