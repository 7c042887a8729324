import { chmodSync, mkdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Machine, runChecks } from '../../src/cli/verbs/doctor/checks.ts';
import { runDoctor } from '../../src/cli/verbs/doctor/doctor.ts';
import { callProgram } from './call-program.ts';
import { fakeIo } from './fake-io.ts';
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

const without =
  (...missing: readonly string[]) =>
  (program: string) =>
    missing.includes(program) ? null : `/usr/bin/${program}`;

/** Returns what is printed about a machine. */
async function diagnose(change: Partial<Machine>, flags: { json?: true } = {}) {
  const place = fakeIo();
  const code = await runDoctor({ flags, io: place.io, machine: { ...healthy, ...change } });
  return { code, lines: place.stdout().trimEnd().split('\n') };
}

test('a healthy machine is printed check by check', async () => {
  expect(await diagnose({})).toEqual({
    code: 0,
    lines: [
      '✓ node        24.1.0',
      '✓ platform    linux x64',
      '✓ /proc       is readable',
      '✓ cgroups     are available: everything that a process starts is known',
      '✓ sh          /usr/bin/sh',
      '✓ bash        /usr/bin/bash',
      '✓ setsid      /usr/bin/setsid',
      '✓ fallocate   /usr/bin/fallocate',
      '✓ mkfifo      /usr/bin/mkfifo',
      '✓ tmux        /usr/bin/tmux, tmux 3.4',
      '✓ pty         is ready',
      '✓ open files  4096 at once',
      '✓ state       /work/.troupe (0700)',
      '✓ daemon      pid 12',
      '✓ sandbox     is ready',
    ],
  });
});

test('a machine without anything is told what to do', async () => {
  const machine: Partial<Machine> = {
    ...{ nodeVersion: '21.99.0', openFiles: 1_023, canRead: () => false, find: () => null },
    ...{ cgroupProblem: () => 'they are not delegated', lookAt: () => null, canWrite: () => false },
    ...{ ptyProblem: async () => 'it is not installed', sandboxErrors: async () => null },
    supervisors: async () => Promise.reject(new Error('it cannot be read')),
  };

  expect(await diagnose(machine)).toEqual({
    code: 1,
    lines: [
      '✗ node        21.99.0',
      '              Install Node 22.12 or newer: https://nodejs.org',
      '✓ platform    linux x64',
      '✗ /proc       cannot be read',
      '              Mount it: mount -t proc proc /proc',
      '! cgroups     are unavailable (they are not delegated): a program that leaves its session and its environment may get away',
      '              Run it in a delegated cgroup: systemd-run --user --scope -p Delegate=yes …',
      '✗ sh          is missing: the watchdog is a script for it',
      '              Install sh.',
      '! bash        is missing: commands given as text run in sh',
      '              Install bash.',
      '! setsid      is missing: bash has to do its part for persistent processes',
      '              Install util-linux.',
      '! fallocate   is missing: large logs cannot be cut in place',
      '              Install util-linux.',
      '! mkfifo      is missing: commands cannot open /dev/stderr',
      '              Install coreutils.',
      '! tmux        is missing: terminals end with the program that started them',
      '              Install tmux 3.3 or newer.',
      '! pty         terminals take tmux: it is not installed',
      '              npm install --include=optional troupe',
      '! open files  1023 at once',
      '              Raise it before many processes are started: ulimit -n 4096',
      '✗ state       /work/.troupe cannot be created',
      '              Name another one: --state-dir, or TROUPE_STATE_DIR.',
      '! daemon      it cannot be read',
      '! sandbox     is not installed; only agents with "sandbox" need it',
      '              npm install @anthropic-ai/sandbox-runtime, and bubblewrap of your system',
    ],
  });
});

test.each<[string, Partial<Machine>, readonly string[]]>([
  ['node', { nodeVersion: '22.12.0' }, ['✓ node 22.12.0']],
  ['node', { nodeVersion: '23.0.0' }, ['✓ node 23.0.0']],
  ['node', { nodeVersion: '22.11.9' }, ['✗ node 22.11.9', 'Install Node 22.12 or newer: https://nodejs.org']],
  [
    'platform',
    { platform: 'win32' },
    ['✗ platform win32 x64', 'Run it in WSL, the Linux inside of Windows.'],
  ],
  [
    'platform',
    { platform: 'darwin' },
    ['! platform darwin x64', 'troupe is tested on Linux. It is written for macOS, but was never run there.'],
  ],
  ['setsid', { platform: 'darwin' }, []],
  ['/proc', { platform: 'darwin' }, []],
  [
    '/proc',
    { canRead: (path) => path === '/proc/self/stat' },
    ['✗ /proc cannot be read', 'Mount it: mount -t proc proc /proc'],
  ],
  [
    'ps',
    { platform: 'darwin', find: without('ps') },
    ['✗ ps is missing: processes cannot be told from each other without it', 'Install ps.'],
  ],
  [
    'lsof',
    { platform: 'darwin', find: without('lsof') },
    ['! lsof is missing: "ready: port" cannot see who listens', 'Install lsof.'],
  ],
  ['tmux', { tmuxVersion: () => null }, ['! tmux /usr/bin/tmux cannot be run', 'Install tmux 3.3 or newer.']],
  [
    'tmux',
    { tmuxVersion: () => 'tmux 3.2a' },
    [
      '! tmux tmux 3.2a is too old: terminals end with the program that started them',
      'Install tmux 3.3 or newer.',
    ],
  ],
  [
    'tmux',
    { tmuxVersion: () => 'tmux 2.9' },
    [
      '! tmux tmux 2.9 is too old: terminals end with the program that started them',
      'Install tmux 3.3 or newer.',
    ],
  ],
  ['tmux', { tmuxVersion: () => 'tmux 3.3' }, ['✓ tmux /usr/bin/tmux, tmux 3.3']],
  ['tmux', { tmuxVersion: () => 'tmux 4.0' }, ['✓ tmux /usr/bin/tmux, tmux 4.0']],
  ['tmux', { tmuxVersion: () => 'tmux master' }, ['✓ tmux /usr/bin/tmux, tmux master']],
  ['open', { openFiles: 1_024 }, ['✓ open files 1024 at once']],
  ['open', { openFiles: null }, ['✓ open files no limit is known']],
  ['state', { lookAt: () => null }, ['✓ state /work/.troupe does not exist yet; it is created on demand']],
  [
    'state',
    { canWrite: (path) => path === '/work' },
    ['✗ state /work/.troupe cannot be written', 'Correct its permissions, or name another one: --state-dir'],
  ],
  [
    'state',
    { lookAt: () => null, canWrite: (path) => path !== '/work' },
    ['✗ state /work/.troupe cannot be created', 'Name another one: --state-dir, or TROUPE_STATE_DIR.'],
  ],
  [
    'state',
    { lookAt: () => ({ mode: 0o40700, isOwn: false }) },
    ['! state /work/.troupe belongs to another user', 'Name one of your own: --state-dir'],
  ],
  [
    'state',
    { lookAt: () => ({ mode: 0o40710, isOwn: true }) },
    ['! state /work/.troupe is open to others (0710)', 'Close it: chmod 700 /work/.troupe'],
  ],
  ['daemon', { supervisors: async () => [] }, ['✓ daemon none runs; it is started on demand']],
  [
    'daemon',
    { supervisors: async () => [{ pid: 1, role: 'program' }] },
    ['✓ daemon none runs; it is started on demand; 1 other program supervises there'],
  ],
  [
    'daemon',
    {
      supervisors: async () => [
        { pid: 1, role: 'program' },
        { pid: 2, role: 'daemon' },
        { pid: 3, role: 'program' },
      ],
    },
    ['✓ daemon pid 2; 2 other programs supervise there'],
  ],
  [
    'sandbox',
    { sandboxErrors: async () => null },
    [
      '! sandbox is not installed; only agents with "sandbox" need it',
      'npm install @anthropic-ai/sandbox-runtime',
    ],
  ],
  [
    'sandbox',
    { sandboxErrors: async () => null, platform: 'darwin', find: () => null },
    [
      '! sandbox is not installed; only agents with "sandbox" need it',
      'npm install @anthropic-ai/sandbox-runtime',
    ],
  ],
  [
    'sandbox',
    { sandboxErrors: async () => ['no bwrap', 'no socat'] },
    ['! sandbox no bwrap; no socat', 'Install what is missing.'],
  ],
])('the check "%s" of a machine prints its finding and its advice', async (name, change, printed) => {
  const { lines } = await diagnose(change);
  const at = lines.findIndex((line) => line.slice(2).split(' ')[0] === name);
  const hasAdvice = lines[at + 1]?.startsWith('  ') === true;
  const shown = at === -1 ? [] : lines.slice(at, at + (hasAdvice ? 2 : 1));

  expect(shown.map((line) => line.trim().replaceAll(/ +/g, ' '))).toEqual(printed);
});

test.each([
  [{}, 0, true],
  [{ nodeVersion: '20.0.0' }, 1, false],
])('the checks of %j as JSON end with %i', async (change, code, ok) => {
  const diagnosed = await diagnose(change, { json: true });

  expect(diagnosed.code).toBe(code);
  expect(JSON.parse(diagnosed.lines.join('\n'))).toEqual({
    ok,
    checks: await runChecks({ ...healthy, ...change }),
  });
});

test('the doctor checks this machine', async () => {
  await using project = projectDir();
  mkdirSync(project.file('.troupe'));
  chmodSync(project.file('.troupe'), 0o755);

  const [asText, asJson] = await Promise.all([
    runProgram(['doctor'], { cwd: project.path, env: project.env }),
    callProgram(['doctor', '--json'], { cwd: project.path }),
  ]);

  expect(asText).toMatchObject({ code: 0, stderr: '' });
  expect(asText.stdout).toContain('! state ');
  expect(asText.stdout).toContain(`chmod 700 ${project.file('.troupe')}`);
  expect(JSON.parse(asJson.stdout)).toMatchObject({ ok: true, checks: expect.any(Array) });
});

test('a machine that cannot do it fails', async () => {
  await using project = projectDir();

  const ran = await callProgram(['doctor'], { cwd: project.path, env: { PATH: project.path } });

  expect(ran.code).toBe(1);
  expect(ran.stdout).toContain('✗ sh ');
});
