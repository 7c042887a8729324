import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createSupervisor } from '../../../src/index.ts';
import { createCgroups } from '../../../src/spawn/cgroup/cgroups.ts';
import { joinCgroup } from '../../../src/spawn/cgroup/join-cgroup.ts';
import { findOuterCgroup, findOwnCgroup } from '../../../src/spawn/cgroup/own-cgroup.ts';
import { canMakeCgroups, createTestCgroups } from '../../support/cgroups.ts';
import { tempDir } from '../../support/os.ts';

/** Opens the cgroup of an attempt, which is removed with the test. */
function openCgroup(): string {
  const cgroups = createTestCgroups();
  onTestFinished(cgroups.close);
  return cgroups.open({ id: 'tool_a', attempt: 1, outlives: false, limits: null }) ?? '';
}

function ownPath(): string {
  const own = findOwnCgroup();
  return 'path' in own ? own.path : '';
}

/** Runs a command in a cgroup with exactly this environment. */
function run(command: readonly string[], env: Record<string, string>) {
  const [file, ...args] = joinCgroup(openCgroup(), { command, env });
  return spawnSync(file, args, { env, cwd: '/', encoding: 'utf8' });
}

test('programs outside of the cgroups of troupe are started where they are', () => {
  expect(findOuterCgroup({ path: '/sys/fs/cgroup/user.slice' })).toBeNull();
  expect(findOuterCgroup({ why: 'none is mounted' })).toBeNull();
  expect(
    findOuterCgroup({ path: '/cg/app/troupe-1-2-sup_a/session/tool_b.1/troupe-3-4-sup_c/session/x.1' }),
  ).toBe('/cg/app');
});

test('a supervisor without cgroups says that the lineage holds', async () => {
  await using supervisor = createSupervisor({ stateDirectory: false, cgroups: false });

  const { held } = await supervisor.start({ command: 'true' }).ended;

  expect(held).toBe('lineage');
});

test('work inside the program is held by nothing', async () => {
  await using supervisor = createSupervisor({ stateDirectory: false });

  expect((await supervisor.start({ run: async () => '' }).ended).held).toBeNull();
});

describe.skipIf(!canMakeCgroups())('with cgroups', () => {
  test.each([
    ['plain', {}],
    ['working directory of the caller', { PWD: '/elsewhere', OLDPWD: '/before' }],
    ['level of shells', { SHLVL: '3', _: '/bin/x' }],
    ['names that no shell knows', { 'a.b': '1', 'BASH_FUNC_f%%': '() { :; }', SHLVL: '7', _: '/bin/x' }],
  ])('a command gets exactly its environment: %s', (_, variables) => {
    const env = { PATH: '/usr/bin:/bin', LANG: 'C', ...variables };

    const { stdout } = run(['env', '-0'], env);

    expect(stdout.split('\0').filter(Boolean).sort()).toEqual(
      Object.entries(env)
        .map(([name, value]) => `${name}=${value}`)
        .sort(),
    );
  });

  test('a command gets exactly its arguments, and its exit is seen', () => {
    const words = ['$HOME', '', "it's", '*', 'a\nb', '-e'];

    const { stdout, status } = run(['sh', '-c', 'printf "%s|" "$@"; exit 7', 'sh', ...words], {
      PATH: '/usr/bin:/bin',
    });

    expect(stdout).toBe(words.map((word) => `${word}|`).join(''));
    expect(status).toBe(7);
  });

  test('a command that cannot join runs all the same, and the lineage holds it', () => {
    const path = openCgroup();
    rmdirSync(path);
    const [file, ...args] = joinCgroup(path, { command: ['echo', 'here'], env: process.env });

    const { stdout, stderr, status } = spawnSync(file, args, { encoding: 'utf8' });

    expect([stdout, stderr, status]).toEqual(['here\n', '', 0]);
    expect(existsSync(path)).toBe(false);
  });

  test('each attempt has a cgroup, which is removed with its tree', async () => {
    using place = tempDir();
    const supervisor = createSupervisor({ cwd: place.path, stateDirectory: place.file('state') });
    const where = 'grep ^0:: /proc/self/cgroup; read line';
    const handle = supervisor.start({ command: where, stdin: 'pipe', background: true });
    await handle.waitFor({ text: 'troupe-' });
    const path = join(ownPath(), handle.read().text.trim().slice('0::'.length).slice(ownCgroupName().length));

    const wasThere = existsSync(path);
    await handle.write('\n');
    await handle.ended;
    const isThere = existsSync(path);
    await supervisor.shutdown();

    expect(basename(path)).toBe(`${handle.id}.1`);
    expect([wasThere, isThere]).toEqual([true, false]);
    expect(existsSync(dirname(dirname(path)))).toBe(false);
  });

  test('a program in a threaded cgroup makes none, and says why', () => {
    const path = openCgroup();
    writeFileSync(join(path, 'cgroup.type'), 'threaded');
    const ownCgroupModule = join(import.meta.dirname, '../../../src/spawn/cgroup/own-cgroup.ts');
    const script = `import { findOwnCgroup } from '${ownCgroupModule}'; console.log(findOwnCgroup().why);`;
    const node = [process.execPath, '--input-type=module', '-e', script];

    const [file, ...args] = joinCgroup(path, { command: node, env: process.env });
    const { stdout } = spawnSync(file, args, { encoding: 'utf8' });

    expect(stdout).toBe(`${path} has the type "threaded", whose cgroups take no processes\n`);
  });

  test('empty cgroups of dead supervisors are removed, those of others stay', () => {
    const dead = join(ownPath(), 'troupe-4194303-1-sup_dead/persistent/tool_a.1');
    const foreign = join(ownPath(), 'troupe-other');
    for (const path of [dead, foreign]) mkdirSync(path, { recursive: true });
    onTestFinished(() => rmdirSync(foreign));
    const living = openCgroup();

    const cgroups = createCgroups('sup_next', (id) => id);
    cgroups.open({ id: 'tool_b', attempt: 1, outlives: false, limits: null });
    cgroups.close();

    expect([dead, dirname(dirname(dead)), foreign, living].map((path) => existsSync(path))).toEqual([
      false,
      false,
      true,
      true,
    ]);
    expect(readdirSync(ownPath()).filter((name) => name.endsWith('sup_next'))).toEqual([]);
  });
});

/** Name of this program's cgroup from the root of the hierarchy, without the root itself. */
function ownCgroupName(): string {
  const name = /^0::(.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1] ?? '/';
  return name === '/' ? '' : name;
}
