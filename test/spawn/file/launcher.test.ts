import { readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Work } from '../../../src/spawn/backend.ts';
import { endBy } from '../../support/orders.ts';
import { isAlive, stateOf, waitUntil } from '../../support/os.ts';
import { createStage, launchers, shell } from './arrange.ts';

/** Signals that do not concern a launcher. */
const bearable = [
  'SIGHUP',
  'SIGINT',
  'SIGQUIT',
  'SIGTERM',
  'SIGUSR1',
  'SIGUSR2',
  'SIGALRM',
  'SIGPIPE',
  'SIGXCPU',
  'SIGPROF',
  'SIGABRT',
] as const;

const noCore = 'ulimit -c 0; ';

for (const tools of launchers) {
  describe(`a launcher of ${tools.name}`, () => {
    const knowsWords = tools.name === 'dash';

    test.each([0, 1, 3, 126, 127, 255])('records exit code %i', async (code) => {
      const { run } = createStage(tools);

      const { exit } = await run(shell(`exit ${code}`)).fact('process.exited');

      expect(exit).toEqual({ code, signal: null });
    });

    test.each(['HUP', 'INT', 'QUIT', 'ABRT', 'KILL', 'USR1', 'SEGV', 'PIPE', 'ALRM', 'TERM', 'XCPU', 'SYS'])(
      'records signal %s',
      async (name) => {
        const { run } = createStage(tools);
        const attempt = run(shell(`${noCore}kill -${name} $$`));

        const { exit } = await attempt.fact('process.exited');

        expect(exit).toEqual({ code: null, signal: `SIG${name}` });
        expect(attempt.status().exit?.certain).toBe(knowsWords && name !== 'INT' && name !== 'PIPE');
      },
    );

    test.each([137, 143])('distinguishes exit code %i from a signal where possible', async (code) => {
      const { run } = createStage(tools);
      const attempt = run(shell(`exit ${code}`));

      const { exit } = await attempt.fact('process.exited');

      expect(exit.code).toBe(knowsWords ? code : null);
      expect(attempt.status().exit?.certain).toBe(knowsWords);
    });

    test('survives signals that its command sends to its group', async () => {
      const { run } = createStage(tools);

      const { exit } = await run(shell('kill -KILL 0; sleep 60')).fact('process.exited');

      expect(exit).toEqual({ code: null, signal: 'SIGKILL' });
    });

    test('survives signals that its command handles', { repeats: 2 }, async () => {
      const { run } = createStage(tools);
      const attempts = Array.from({ length: 4 }, () => run(shell('read -r line; exit 5'), { stdin: 'pipe' }));
      for (const attempt of attempts) await attempt.fact('process.spawned');

      // Some of them while the command ends.
      for (const attempt of attempts) {
        const { launcher } = attempt.status();
        const ended = attempt.ask((reply) => ({ type: 'process.endInput', reply }));
        for (const name of bearable) {
          await new Promise(setImmediate);
          if (isAlive(launcher ?? 0)) process.kill(launcher ?? 0, name);
        }
        await ended;
      }

      for (const attempt of attempts)
        expect((await attempt.fact('process.exited')).exit).toEqual({ code: 5, signal: null });
    });

    test('waits for a halted command', async () => {
      const { run } = createStage(tools);
      const attempt = run(shell('kill -STOP $$; exit 7'));
      const { pid } = await attempt.fact('process.spawned');
      await waitUntil(() => stateOf(pid ?? 0) === 'T');
      const { launcher } = attempt.status();

      await waitUntil(() => stateOf(launcher ?? 0) === 'S');
      const before = attempt.status().exit;
      process.kill(pid ?? 0, 'SIGCONT');

      expect((await attempt.fact('process.exited')).exit).toEqual({ code: 7, signal: null });
      expect(before).toBeNull();
    });

    test('leaves default signal actions to its command', async () => {
      const { run } = createStage(tools);
      const attempt = run({ type: 'argv', file: 'grep', args: ['-E', 'Sig(Blk|Ign)', '/proc/self/status'] });

      await attempt.fact('process.exited');

      expect(attempt.printed()).toMatch(/^SigBlk:\t0+\nSigIgn:\t0+\n$/);
    });

    test('SIGINT ends a plain sleep', async () => {
      const { run } = createStage(tools);
      const attempt = run({ type: 'argv', file: 'sleep', args: ['60'] });
      const { pid } = await attempt.fact('process.spawned');

      process.kill(pid ?? 0, 'SIGINT');

      expect((await attempt.fact('process.exited')).exit).toEqual({ code: null, signal: 'SIGINT' });
    });

    test('starts a leader with the pid it names', async () => {
      const { run } = createStage(tools);
      const attempt = run(shell('echo $$; cut -d" " -f1,5 /proc/$$/stat'));

      const { pid, pgid } = await attempt.fact('process.spawned');
      await attempt.fact('process.exited');

      expect(attempt.printed()).toBe(`${pid}\n${pid} ${pid}\n`);
      expect(pgid).toBe(pid);
    });

    test('does not take printed lines for a status', async () => {
      const { run } = createStage(tools);
      const lines = '\\nexit 1 77\\nKilled\\nleader 1 1\\n';
      const attempt = run(shell(`printf '${lines}' >&2; printf '${lines}'; exit 4`));

      const { exit } = await attempt.fact('process.exited');

      expect(exit).toEqual({ code: 4, signal: null });
      expect(attempt.printed()).toBe('\nexit 1 77\nKilled\nleader 1 1\n'.repeat(2));
    });

    test('passes every argument unchanged', async () => {
      const { run } = createStage(tools);
      const args = ['', ' a  b ', '$HOME `x` "q" \'s\'', '*', '-n', 'line\nline', '\\n', 'é'];
      const attempt = run({ type: 'argv', file: 'printf', args: ['<%s>', ...args] });

      await attempt.fact('process.exited');

      expect(attempt.printed()).toBe(args.map((arg) => `<${arg}>`).join(''));
    });

    test('passes PWD and SHLVL unchanged', async () => {
      const { run, createRequest, directory } = createStage(tools);
      const { env } = createRequest(shell(''));
      const without = run({ type: 'argv', file: 'env', args: [] });
      const having = run(
        { type: 'argv', file: 'env', args: [] },
        { env: { ...env, PWD: directory, STAT: 'x' } },
      );
      await Promise.all([without, having].map((each) => each.fact('process.exited')));

      expect(without.printed()).not.toMatch(/^(PWD|OLDPWD|_)=/m);
      expect(having.printed()).toContain(`PWD=${directory}\n`);
      expect(having.printed()).toContain('STAT=x\n');
    });

    test('ends soon after its command despite leftovers', async () => {
      const { run } = createStage(tools);
      const attempt = run(shell('sleep 60 & setsid sleep 60 & exit 6'));
      await attempt.fact('process.spawned');
      const { launcher } = attempt.status();

      expect((await attempt.fact('process.exited')).exit.code).toBe(6);
      await waitUntil(() => !isAlive(launcher ?? 0), { what: 'the launcher has ended' });
    });
  });
}

test.each(launchers)(
  'a process whose status file was removed at its start can be killed ($name)',
  async (tools) => {
    const { run } = createStage(tools);
    const attempt = run(shell('exec sleep 1000'));
    rmSync(attempt.request.files.status);

    const { pid } = await attempt.fact('process.spawned');
    attempt.send(endBy('SIGTERM'));
    await attempt.fact('tree.gone');

    expect(isAlive(pid ?? 0)).toBe(false);
  },
);

test('log and status files are private to their owner', async () => {
  const { run } = createStage();
  const attempt = run(shell('true'));
  await attempt.fact('process.exited');

  const { log, status } = attempt.request.files;
  for (const path of [log, status]) expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('a later attempt appends to the same files', async () => {
  const { run } = createStage();
  const first = run(shell('echo one; exit 1'));
  await first.fact('process.exited');
  const { id, files } = first.request;

  const second = run(shell('echo two'), { id, files, attempt: 2 });

  expect((await second.fact('process.exited')).exit.code).toBe(0);
  expect(second.printed()).toBe('one\ntwo\n');
  expect(first.status().exit?.code).toBe(1);
});

test('a persistent process is exempt before its start and its group unguarded', async () => {
  const { run, spared, guarded } = createStage();
  const attempt = run(shell('exit 0'));

  expect(spared).toEqual([attempt.request.id]);
  await attempt.fact('process.exited');
  expect(guarded).toEqual([]);
});

const missing: Work = { type: 'argv', file: 'no-such-program-anywhere', args: [] };

test.each([
  ['a missing program', missing, {}, 'missing-program', 'ENOENT'],
  ['a missing directory', missing, { cwd: '/no/such/place' }, 'missing-cwd', 'ENOENT'],
  ['a missing shell', { type: 'shell', shell: '/no/shell', script: '' }, {}, 'missing-program', 'ENOENT'],
  [
    'arguments too long',
    { type: 'argv', file: 'true', args: ['x'.repeat(200_000)] },
    {},
    'arguments-too-long',
    'E2BIG',
  ],
] as const)('%s fails like any other start', async (_, work, more, cause, code) => {
  const { run } = createStage();
  const attempt = run(work, more);

  expect(await attempt.fact('process.spawnFailed')).toMatchObject({ cause, code });
  expect(attempt.types).toEqual(['process.spawnFailed']);
});

test('a file without execute permission fails as such', async () => {
  const { run, file } = createStage();
  writeFileSync(file('plain'), 'text', { mode: 0o600 });

  const failure = await run({ type: 'argv', file: './plain', args: [] }).fact('process.spawnFailed');

  expect(failure).toMatchObject({ cause: 'no-permission', code: 'EACCES' });
});

test('a log that cannot be opened is named with a remedy', async () => {
  const { run, file } = createStage();
  writeFileSync(file('taken'), '');
  symlinkSync(file('taken'), file('link'));
  const status = file('status');

  const below = await run(shell('true'), {
    files: { log: file('taken/x.log'), status, screen: file('screen') },
  }).fact('process.spawnFailed');
  const link = await run(shell('true'), {
    files: { log: file('link'), status, screen: file('screen') },
  }).fact('process.spawnFailed');

  expect(below.message).toContain(file('taken/x.log'));
  expect(below.message).toMatch(/stateDirectory/);
  expect(link.message).toMatch(/symbolic link/);
  expect(readFileSync(file('taken'), 'utf8')).toBe('');
});

test('a launcher that fails is a failed start', async () => {
  const { run } = createStage({ shell: '/bin/false', setsid: null });
  const attempt = run(shell('true'));

  const { cause, message } = await attempt.fact('process.spawnFailed');
  attempt.send(endBy('SIGTERM'));
  await attempt.fact('tree.gone');

  expect(cause).toBe('other');
  expect(message).toContain('the launcher ended (code 1) before it started the command');
  expect(attempt.types).toEqual(['process.spawnFailed', 'tree.gone']);
});
