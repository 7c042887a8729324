import { chmodSync, mkdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Machine, runChecks } from '../../src/cli/verbs/doctor/checks.ts';
import { projectDir, runProgram } from './program.ts';

const healthy: Machine = {
  platform: 'linux',
  arch: 'x64',
  nodeVersion: '24.1.0',
  find: (program) => `/usr/bin/${program}`,
  canRead: () => true,
  cgroupProblem: () => null,
  openFiles: 4_096,
  stateDirectory: '/work/.troupe',
  lookAt: () => ({ mode: 0o40700, isOwn: true }),
  canWrite: () => true,
  tmuxVersion: () => 'tmux 3.4',
  ptyProblem: async () => null,
  sandboxErrors: async () => [],
  supervisors: async () => [{ pid: 12, role: 'daemon' }],
};

test('a healthy machine passes every check', async () => {
  const checks = await runChecks(healthy);

  expect(checks.filter(({ state }) => state !== 'ok')).toEqual([]);
});

test.each<[string, Partial<Machine>, string, 'warn' | 'fail']>([
  ['an old Node', { nodeVersion: '22.11.0' }, 'node', 'fail'],
  ['Windows', { platform: 'win32' }, 'platform', 'fail'],
  ['no /proc', { canRead: () => false }, '/proc', 'fail'],
  ['no sh', { find: (program) => (program === 'sh' ? null : program) }, 'sh', 'fail'],
  [
    'no ps on macOS',
    { platform: 'darwin', find: (program) => (program === 'ps' ? null : program) },
    'ps',
    'fail',
  ],
  ['no tmux', { find: (program) => (program === 'tmux' ? null : program) }, 'tmux', 'warn'],
  ['an old tmux', { tmuxVersion: () => 'tmux 3.2a' }, 'tmux', 'warn'],
  ['a tmux that does not run', { tmuxVersion: () => null }, 'tmux', 'warn'],
  ['no pty', { ptyProblem: async () => 'it cannot be loaded' }, 'pty', 'warn'],
  ['few files', { openFiles: 256 }, 'open files', 'warn'],
  ['no cgroups', { cgroupProblem: () => 'it is not delegated' }, 'cgroups', 'warn'],
  ['an open state directory', { lookAt: () => ({ mode: 0o40755, isOwn: true }) }, 'state', 'warn'],
  ['a state directory of another user', { lookAt: () => ({ mode: 0o40700, isOwn: false }) }, 'state', 'warn'],
  ['a read-only state directory', { canWrite: () => false }, 'state', 'fail'],
  ['no place for a state directory', { canWrite: () => false, lookAt: () => null }, 'state', 'fail'],
  ['no sandbox', { sandboxErrors: async () => null }, 'sandbox', 'warn'],
])('%s is seen, with what to do', async (_name, change, name, state) => {
  const checks = await runChecks({ ...healthy, ...change });

  expect(checks.find((check) => check.name === name)).toMatchObject({ state, advice: expect.any(String) });
});

test('a part that cannot be loaded is named with the reason', async () => {
  const machine: Machine = { ...healthy, ptyProblem: async () => '@lydell/node-pty is not installed' };

  const checks = await runChecks(machine);

  expect(checks.find(({ name }) => name === 'pty')?.says).toBe(
    'terminals take tmux: @lydell/node-pty is not installed',
  );
});

test('errors of the sandbox are all named', async () => {
  const machine: Machine = { ...healthy, sandboxErrors: async () => ['no bwrap', 'no socat'] };

  const checks = await runChecks(machine);

  expect(checks.find(({ name }) => name === 'sandbox')?.says).toBe('no bwrap; no socat');
});

test.each([
  ['bash', 'commands given as text run in sh'],
  ['setsid', 'bash has to do its part for persistent processes'],
  ['fallocate', 'large logs cannot be cut in place'],
  ['mkfifo', 'commands cannot open /dev/stderr'],
  ['sh', 'the watchdog is a script for it'],
])('without %s it says what is missing', async (missing, why) => {
  const find = (program: string) => (program === missing ? null : `/usr/bin/${program}`);

  const checks = await runChecks({ ...healthy, find });

  expect(checks.find(({ name }) => name === missing)?.says).toBe(`is missing: ${why}`);
});

test('the doctor checks this machine', async () => {
  await using project = projectDir();
  mkdirSync(project.file('.troupe'));
  chmodSync(project.file('.troupe'), 0o755);

  const [asText, asJson] = await Promise.all([
    runProgram(['doctor'], { cwd: project.path, env: project.env }),
    runProgram(['doctor', '--json'], { cwd: project.path, env: project.env }),
  ]);

  expect(asText).toMatchObject({ code: 0, stderr: '' });
  expect(asText.stdout).toContain('! state ');
  expect(asText.stdout).toContain(`chmod 700 ${project.file('.troupe')}`);
  expect(JSON.parse(asJson.stdout)).toMatchObject({ ok: true, checks: expect.any(Array) });
});

test('a machine that cannot do it fails', async () => {
  await using project = projectDir();

  const ran = await runProgram(['doctor'], {
    cwd: project.path,
    env: { ...project.env, PATH: project.path },
  });

  expect(ran.code).toBe(1);
  expect(ran.stdout).toContain('✗ sh ');
});
