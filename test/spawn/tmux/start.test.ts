import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { planStart } from '../../../src/spawn/tmux/start-script.ts';
import { isInstalled } from '../../support/installed.ts';
import { endBy } from '../../support/orders.ts';
import { createStage, shell, tmux } from './arrange.ts';

/** Text that a shell, tmux or a date format could expand. */
const hostile = `a b'c"d$HOME\`id\`#{pid}#[x]%H;&|\\n(é)\n-x~`;

describe.skipIf(!isInstalled('tmux'))('a start in tmux', () => {
  test('the environment contains exactly what was asked for', async () => {
    const stage = createStage();
    const path = stage.file('environment');
    const id = `tool_${Math.random().toString(36).slice(2, 10)}`;
    const env = {
      PATH: process.env['PATH'] ?? '',
      TROUPE_LINEAGE: `/sup_tmux/${id}/`,
      'a.b': 'dotted',
      'npm_config_//registry/:_authToken': 'hush',
      'BASH_FUNC_say%%': '() {  echo hi\n}',
      PLAIN: `it's "${hostile}"\n  # kept`,
      SHELL: '/bin/elsewhere',
      PWD: '/elsewhere',
      TMUX: 'outer,1,2',
      LC_ALL: 'C.UTF-8',
    };

    const run = stage.run(shell(`cat /proc/$$/environ > '${path}'`), { id, env });
    await run.fact('process.exited');

    const pairs = readFileSync(path, 'utf8')
      .split('\0')
      .filter((pair) => pair !== '');
    const given = Object.fromEntries(
      pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
    );
    expect(given).toEqual({ ...env, TERM: expect.stringMatching(/256color$/) });
  });

  test('an environment without strange names needs no bash', async () => {
    const stage = createStage();
    const path = stage.file('environment');

    const run = stage.run(shell(`tr '\\0' '\\n' < /proc/$$/environ | cut -d= -f1 | sort > '${path}'`));
    await run.fact('process.exited');

    expect(readFileSync(path, 'utf8').split('\n')).toEqual(['LC_ALL', 'PATH', 'TERM', 'TROUPE_LINEAGE', '']);
  });

  test('no argument of any process shows the environment', async () => {
    const stage = createStage();
    const secret = 'hush-1234567890';
    const base = stage.createRequest(shell('echo up; sleep 300'));
    const run = stage.again({ ...base, env: { ...base.env, TOKEN: secret, 'odd.TOKEN': secret } });
    const seen: string[] = [];
    while (!run.printed().includes('up')) {
      seen.push(execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }));
      await new Promise((resolve) => setImmediate(resolve));
    }

    const kept = tmux(stage.socket, 'show-environment', '-t', `=${base.id}`);

    expect(seen.join()).not.toContain(secret);
    expect(kept).not.toContain(secret);
    run.send(endBy('SIGKILL'));
    await run.fact('output.ended');
  });

  test.each([
    ['exit 3', 3, null],
    ['false # a comment', 1, null],
    ['true &', 0, null],
    ['cat <<END\nexit 9 "$HOME" `date`\nEND', 0, null],
    [`test "it's" = 'it'"'"'s' && exit 4`, 4, null],
    ['exit 137', 137, null],
    ['kill -9 $$', null, 'SIGKILL'],
    ['kill -TERM $$', null, 'SIGTERM'],
    ['kill -INT $$', null, 'SIGINT'],
    ['printf "\\nexit 1 0\\nleader 1 2\\ndrained 1\\n"; exit 5', 5, null],
  ] as const)('script %j has its own exit', async (script, code, signal) => {
    const stage = createStage();

    const run = stage.run(shell(script));

    expect((await run.fact('process.exited')).exit).toEqual({ code, signal });
    await run.fact('output.ended');
  });

  test('a path with special characters stays a path', async () => {
    const stage = createStage({ folder: hostile });
    const cwd = stage.file(hostile);
    mkdirSync(cwd);

    const run = stage.run(shell('pwd > here; echo "at home"; exit 6'), { cwd });
    await run.fact('output.ended');

    expect((await run.fact('process.exited')).exit).toEqual({ code: 6, signal: null });
    expect(readFileSync(`${cwd}/here`, 'utf8')).toBe(`${cwd}\n`);
    expect(run.printed()).toBe('at home\r\n');
    expect(run.kept.at(-1)?.lines[0]).toBe('at home');
    const { id } = run.request;
    // The times of a log are kept only if it grew at more than one.
    const names = readdirSync(cwd).filter((name) => name !== `${id}.log.times`);
    expect(names.sort()).toEqual(['here', `${id}.log`, `${id}.screen`, `${id}.status`]);
  });

  test('terminal files are private to their owner', async () => {
    const stage = createStage();

    const run = stage.run(shell('echo hello'));
    await run.fact('output.ended');

    const modes = Object.values(run.request.files).map((path) => statSync(path).mode & 0o777);
    expect(modes).toEqual([0o600, 0o600, 0o600]);
  });

  test('an argument that is too long is refused as such', async () => {
    const stage = createStage();

    const run = stage.run({ type: 'argv', file: 'echo', args: ['x'.repeat(200_000)] });

    expect(await run.fact('process.spawnFailed')).toMatchObject({
      cause: 'arguments-too-long',
      code: 'E2BIG',
    });
  });

  test('an argument with a NUL is refused', async () => {
    const stage = createStage();

    const run = stage.run({ type: 'argv', file: 'printf', args: ['%s', 'a\0b'] });

    expect((await run.fact('process.spawnFailed')).message).toMatch(/NUL byte/);
  });

  test('a long script is started', async () => {
    const stage = createStage();

    const run = stage.run(shell(`# ${'x'.repeat(100_000)}\necho "$((6 * 7))"`));
    await run.fact('output.ended');

    expect(run.printed()).toBe('42\r\n');
  });

  test('a missing directory fails as such', async () => {
    const stage = createStage();

    const run = stage.run(shell('true'), { cwd: stage.file('nowhere') });

    expect(await run.fact('process.spawnFailed')).toMatchObject({ cause: 'missing-cwd' });
  });

  test('no command starts for a dead supervisor', () => {
    const stage = createStage();
    const request = stage.createRequest(shell(`touch '${stage.file('started')}'`));
    const { pid: guardPid } = spawnSync('true');
    const server = { program: 'tmux', socket: stage.socket };

    const { argv, env } = planStart(request, {
      guardPid,
      server,
      cgroup: null,
      command: ['touch', stage.file('started')],
    });
    const { status } = spawnSync(argv[0] ?? '', argv.slice(1), { env });

    expect(status).toBe(125);
    expect(readdirSync(stage.directory)).toEqual([]);
  });

  test('a very fast command loses no output, twenty times', { timeout: 60_000 }, async () => {
    const stage = createStage();

    const runs = Array.from({ length: 20 }, (_, index) => stage.run(shell(`echo first-${index}`)));
    for (const run of runs) await run.fact('output.ended');

    expect(runs.map((run) => run.printed())).toEqual(runs.map((_, index) => `first-${index}\r\n`));
    expect(runs.map((run) => run.kept.at(-1)?.lines[0])).toEqual(runs.map((_, index) => `first-${index}`));
  });

  test('much output at the end is complete', { timeout: 60_000 }, async () => {
    const stage = createStage();

    const run = stage.run(shell('seq 1 400000; printf end'));
    await run.fact('output.ended');

    const numbers = Array.from({ length: 400_000 }, (_, index) => `${index + 1}\r\n`).join('');
    expect(run.printed() === `${numbers}end`).toBe(true);
  });
});
