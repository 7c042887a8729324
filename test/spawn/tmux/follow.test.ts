import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { findTmux } from '../../../src/spawn/tmux/find-tmux.ts';
import { createCurrentTable } from '../../../src/spawn/tree/current-table.ts';
import { isInstalled } from '../../support/installed.ts';
import { endBy } from '../../support/orders.ts';
import { carriers, carriersBesideLauncher, isAlive, waitUntil } from '../../support/os.ts';
import { createStage, sessionsOf, shell, tmux, untilServerIsGone } from './arrange.ts';

const sleeper = shell('echo up; sleep 300');

/** Executes commands before, or with `exit` instead of, each call of tmux that contains the words. `$tmux` is the real program. */
function interceptTmux(stage: ReturnType<typeof createStage>, words: string, commands: string): void {
  const script = `#!/bin/sh\ntmux='${findTmux()}'\ncase "$*" in *'${words}'*) ${commands} ;; esac\nexec "$tmux" "$@"\n`;
  writeFileSync(stage.file('tmux'), script, { mode: 0o700 });
  vi.stubEnv('PATH', `${stage.directory}:${process.env['PATH']}`);
  onTestFinished(() => void vi.unstubAllEnvs());
}

describe.skipIf(!isInstalled('tmux'))('a terminal of tmux', () => {
  test('another supervisor adopts a running process', async () => {
    const stage = createStage();
    const first = stage.run(shell('echo up; read -r line; echo "<$line>"; exit 4'));
    const { pid } = await first.fact('process.spawned');
    await first.shows('up');
    first.cancel();

    const second = stage.adopt(first.request);
    const adopted = await second.fact('process.adopted');
    await second.ask((reply) => ({ type: 'process.write', data: Buffer.from('hello\n'), reply }));
    const { exit } = await second.fact('process.exited');
    await second.fact('output.ended');

    expect(adopted.pid).toBe(pid);
    expect(exit).toEqual({ code: 4, signal: null });
    expect(second.printed()).toContain('<hello>');
    expect(second.kept.at(-1)?.lines).toContain('<hello>');
    expect(first.types).toEqual(['process.spawned']);
  });

  test('an exit without a supervisor is known to the next', async () => {
    const stage = createStage();
    const first = stage.run(shell('echo up; until test -e go; do sleep 0.1; done; echo last; exit 9'));
    await first.shows('up');
    first.cancel();
    writeFileSync(stage.file('go'), '');
    await untilServerIsGone(stage.socket);

    const second = stage.adopt(first.request);
    await second.fact('output.ended');

    expect(second.types).toEqual(['process.adopted', 'process.exited', 'output.ended']);
    expect((await second.fact('process.exited')).exit).toEqual({ code: 9, signal: null });
    expect(second.kept.at(-1)?.lines.slice(0, 2)).toEqual(['up', 'last']);
  });

  test('a removed status file does not hide a running process', async () => {
    const stage = createStage();
    const first = stage.run(sleeper);
    const { pid, pgid } = await first.fact('process.spawned');
    await first.shows('up');
    const startedAt =
      /began 1 \d+ (\d+)/.exec(
        await waitUntil(() => (/began/.test(first.status()) ? first.status() : null)),
      )?.[1] ?? '';
    first.cancel();
    rmSync(first.request.files.status);
    const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const leader = {
      ...(await identityOf(pid ?? 0)),
      pid: pid ?? 0,
      pgid: pgid ?? 0,
      sid: pgid ?? 0,
      startedAt,
      bootId,
      cookie: `/${first.request.id}/`,
    };

    const second = stage.adopt(first.request, { leader });

    expect((await second.fact('process.adopted')).pid).toBe(pid);
    second.send(endBy('SIGKILL'));
    await second.fact('tree.gone');
    expect(isAlive(pid ?? 0)).toBe(false);
  });

  test('a terminal that never started is lost with a reason', async () => {
    const stage = createStage();

    const adopted = stage.adopt(stage.createRequest(sleeper));

    expect((await adopted.fact('process.lost')).why).toMatch(/had not been started/);
  });

  test.each([
    ['on this boot', {}, /its terminal is gone/],
    ['before the machine was restarted', { bootId: 'earlier' }, /the machine was restarted/],
  ])(
    'a terminal that was started %s and left nothing is lost with that reason',
    async (_when, other, why) => {
      const stage = createStage();
      const request = stage.createRequest(sleeper);
      const scope = await createCurrentTable().scope();
      const ended = { pid: 4_000_000, pgid: 4_000_000, sid: 4_000_000, startedAt: '1' };
      const leader = { ...scope, ...ended, cookie: `/${request.id}/`, ...other };

      const adopted = stage.adopt(request, { leader });

      expect((await adopted.fact('process.lost')).why).toMatch(why);
    },
  );

  test('a server that is killed hangs up', async () => {
    const stage = createStage();
    const run = stage.run(sleeper);
    await run.shows('up');
    const server = Number(tmux(stage.socket, 'display-message', '-p', '#{pid}'));

    process.kill(server, 'SIGKILL');
    const { exit } = await run.fact('process.exited');
    await run.fact('output.ended');

    expect(exit).toEqual({ code: null, signal: 'SIGHUP' });
    // The launcher has recorded the end and is about to exit.
    await waitUntil(() => carriers(`/${run.request.id}/`).length === 0);
    expect(await run.capture()).toMatchObject({ ok: false, error: expect.stringMatching(/\w+\.$/) });
  });

  test('a log beyond its cap loses its middle', { timeout: 60_000 }, async () => {
    const stage = createStage({ maxBytes: 64 * 1024 });

    const run = stage.run(
      shell('i=0; while test $i -lt 40; do seq 1 5000; sleep 0.05; i=$((i + 1)); done; sleep 300'),
    );
    await run.fact('process.spawned');
    await waitUntil(() => run.status().includes('gap '), { withinMs: 30_000 });

    run.send(endBy('SIGKILL'));
    await run.fact('output.ended');
    const { size, blocks } = statSync(run.request.files.log);
    expect(blocks * 512).toBeLessThan(size);
    expect(run.printed().startsWith('1\r\n2\r\n')).toBe(true);
  });

  test('another server behind the socket is left alone', { timeout: 90_000 }, async () => {
    const stage = createStage();
    const waiter = shell('echo up; until test -e go; do sleep 0.1; done; exit 3');
    const runs = [stage.run(waiter), stage.run(sleeper)] as const;
    for (const run of runs) await run.shows('up');
    const paneIds = panesOf(stage.socket);
    const server = Number(tmux(stage.socket, 'display-message', '-p', '#{pid}'));
    onTestFinished(() => void (isAlive(server) && process.kill(server, 'SIGKILL')));
    rmSync(stage.socket);
    const strangers = [stage.run(sleeper), stage.run(sleeper)];
    for (const stranger of strangers) await stranger.shows('up');
    expect(panesOf(stage.socket)).toEqual(paneIds);

    writeFileSync(stage.file('go'), '');
    const launcher = Number(/launcher 1 (\d+)/.exec(runs[1].status())?.[1]);
    const { pid = 0 } = await runs[1].fact('process.spawned');
    for (const each of [launcher, pid ?? 0]) process.kill(each, 'SIGKILL');
    const exits = [await runs[0].fact('process.exited'), await runs[1].fact('process.exited')];
    await untilGoneByItself(server);

    expect(exits.map(({ exit }) => exit)).toEqual([
      { code: 3, signal: null },
      { code: null, signal: 'SIGKILL' },
    ]);
    // The shell that writes the output outlives the server by a moment.
    for (const run of runs) await waitUntil(() => run.status().includes('drained 1'));
    expect(strangers.map(({ types }) => types)).toEqual([['process.spawned'], ['process.spawned']]);
    expect(tmux(stage.socket, 'list-panes', '-a', '-F', '<#{pane_dead}#{@troupe_exit}>')).toBe('<0>\n<0>\n');
    for (const stranger of strangers) stranger.send(endBy('SIGKILL'));
    for (const stranger of strangers) await stranger.fact('output.ended');
  });

  test('no server outlives its state directory', { timeout: 90_000 }, async () => {
    const stage = createStage();
    const run = stage.run(shell(`echo up; while test -d '${stage.directory}'; do sleep 0.05; done`));
    await run.shows('up');
    const server = Number(tmux(stage.socket, 'display-message', '-p', '#{pid}'));

    rmSync(stage.directory, { recursive: true });

    await untilGoneByItself(server);
    await run.fact('output.ended');
  });

  test('a kill ends tree and session', async () => {
    const stage = createStage();
    const run = stage.run(shell('setsid sleep 300 & nohup sleep 301 & (env -i sleep 302 &) ; echo up; wait'));
    await run.shows('up');

    run.send(endBy('SIGKILL'));
    await run.fact('tree.gone');

    expect(carriersBesideLauncher(`/${run.request.id}/`)).toEqual([]);
    expect((await run.fact('process.exited')).exit).toEqual({ code: null, signal: 'SIGKILL' });
    await waitUntil(() => sessionsOf(stage.socket).length === 0);
  });

  test('a signal that the command handles ends nothing', async () => {
    const stage = createStage();
    const run = stage.run(
      shell(`trap 'echo first' XCPU; trap 'exit 5' PROF; echo up; while :; do sleep 0.1; done`),
    );
    await run.shows('up');

    run.send(endBy('SIGXCPU'));
    await run.shows('first');
    run.send(endBy('SIGPROF'));

    expect((await run.fact('process.exited')).exit).toEqual({ code: 5, signal: null });
    await run.fact('output.ended');
  });

  test('a killed launcher does not end the process', async () => {
    const stage = createStage();
    const run = stage.run(shell(`trap '' HUP; echo up; while :; do sleep 1; done`));
    const { pid } = await run.fact('process.spawned');
    await run.shows('up');
    const launcher = Number(/launcher 1 (\d+)/.exec(run.status())?.[1]);

    process.kill(launcher, 'SIGKILL');
    await waitUntil(() => /^exit 1/m.test(run.status()), { withinMs: 30_000 });
    run.send({ type: 'tree.survey' });
    await run.fact('tree.surveyed');

    expect(isAlive(pid ?? 0)).toBe(true);
    expect(run.types).toEqual(['process.spawned', 'tree.surveyed']);
    run.send(endBy('SIGKILL'));
    await run.fact('output.ended');
  });

  test('the command can be killed alone', async () => {
    const stage = createStage();
    const run = stage.run(shell('echo up; exec sleep 300'));
    const { pid } = await run.fact('process.spawned');
    await run.shows('up');

    process.kill(pid ?? 0, 'SIGKILL');

    expect((await run.fact('process.exited')).exit).toEqual({ code: null, signal: 'SIGKILL' });
    await run.fact('output.ended');
    expect(run.kept.at(-1)?.lines[0]).toBe('up');
  });

  test('the exit of the leader ends the process', async () => {
    const stage = createStage();

    // Until then it is the shell that forked it.
    const untilItSleeps = `until test "$(tr '\\0' ' ' < /proc/$!/cmdline)" = 'sleep 300 '; do sleep 0.01; done`;
    const run = stage.run(shell(`trap '' HUP; sleep 300 & ${untilItSleeps}; echo hi; exit 6`));
    const { exit } = await run.fact('process.exited');
    run.send({ type: 'tree.survey' });
    const { leftovers } = await run.fact('tree.surveyed');
    run.send(endBy('SIGKILL'));
    await run.fact('output.ended');

    expect(exit).toEqual({ code: 6, signal: null });
    expect(leftovers.map(({ command }) => command)).toEqual(['sleep 300']);
    expect(run.kept.at(-1)?.lines[0]).toBe('hi');
  });

  test('the last screen is kept however long tmux takes to give it', async () => {
    const stage = createStage();
    interceptTmux(stage, 'capture-pane', 'sleep 3');

    const run = stage.run(shell('echo hi'));
    await run.fact('output.ended');

    expect(run.kept.at(-1)?.lines[0]).toBe('hi');
  });

  test('the last screen is kept by a kill that makes tmux take it twice', async () => {
    const stage = createStage();
    // The second call begins when the first has its screen, and has none before the terminal is closed.
    const twice = `if mkdir '${stage.file('taken')}'; then "$tmux" "$@"; sleep 2; exit; fi 2>&-; sleep 4`;
    interceptTmux(stage, 'capture-pane', twice);

    const run = stage.run(shell(`trap '' HUP; sleep 300 & echo hi; exit 6`));
    await run.fact('process.exited');
    await waitUntil(() => existsSync(stage.file('taken')), { what: 'the screen is taken' });
    run.send(endBy('SIGKILL'));
    await run.fact('output.ended');

    expect(run.kept.at(-1)?.lines[0]).toBe('hi');
  });

  test('a launcher ends with a terminal that closes before it accepts SIGHUP', async () => {
    const stage = createStage();
    const untilClosed = `code=$?; while (: </dev/tty); do sleep 0.01; done 2>&-; exit $code`;
    interceptTmux(stage, 'set-hook -R', `trap '' HUP; "$tmux" "$@"; ${untilClosed}`);

    const run = stage.run(shell('echo hi; exit 6'));
    await run.fact('output.ended');

    const launcher = Number(/launcher 1 (\d+)/.exec(run.status())?.[1]);
    await waitUntil(() => !isAlive(launcher), { what: 'the launcher has ended' });
    expect((await run.fact('process.exited')).exit).toEqual({ code: 6, signal: null });
    expect(run.status().match(/^exit /gm)).toHaveLength(1);
  });

  test('each attempt has its own terminal', async () => {
    const stage = createStage();
    const first = stage.run(shell('echo first; exit 1'));
    await first.fact('output.ended');

    const second = stage.again({ ...first.request, attempt: 2, work: shell('echo second; exit 2') });
    await second.fact('output.ended');

    expect((await second.fact('process.exited')).exit).toEqual({ code: 2, signal: null });
    expect(second.printed()).toBe('first\r\nsecond\r\n');
    expect(second.kept.at(-1)?.lines.slice(0, 2)).toEqual(['second', '']);
  });

  test('a session that is still closing makes room under another name', async () => {
    const stage = createStage();
    const first = stage.run(shell('echo first'));
    await first.fact('output.ended');
    const { id } = first.request;
    await untilServerIsGone(stage.socket);
    tmux(stage.socket, 'new-session', '-d', '-s', id, 'exec sleep 300');
    // Before the stage waits for the server, whatever its name is by then.
    onTestFinished(() => void spawnSync('tmux', ['-S', stage.socket, 'kill-server']));

    const second = stage.again({ ...first.request, attempt: 2, work: sleeper });
    await second.shows('up');

    const programs = Object.fromEntries(
      [id, `${id}-1`].map((name) => [
        name,
        tmux(stage.socket, 'list-panes', '-t', `=${name}:`, '-F', '#{pane_start_command}'),
      ]),
    );
    expect(programs[`${id}-1`]).toContain('sleep 300');
    expect(programs[id]).toContain('troupe-launcher');
  });

  test('an attempt without a screen does not show the one before', async () => {
    const stage = createStage();
    const first = stage.run(shell('echo first'));
    await first.fact('output.ended');
    const second = stage.again({ ...first.request, attempt: 2, work: sleeper });
    await second.shows('up');

    process.kill(Number(tmux(stage.socket, 'display-message', '-p', '#{pid}')), 'SIGKILL');
    await second.fact('output.ended');

    expect(first.kept).toHaveLength(1);
    expect(second.kept).toEqual([]);
  });

  test('session names with a common prefix are distinguished', async () => {
    const stage = createStage();
    // Ids of this run alone: processes are searched by them on the whole machine.
    const id = `tool_${Math.random().toString(36).slice(2, 10)}`;
    const [long, short] = [
      stage.run(sleeper, { id: `${id}b` }),
      stage.run(shell('echo short; sleep 300'), { id }),
    ];
    await long.shows('up');
    await short.shows('short');

    short.send(endBy('SIGKILL'));
    await short.fact('output.ended');
    const late = await short.ask((reply) => ({ type: 'process.write', data: Buffer.from('x'), reply }));

    expect(late).toMatchObject({ ok: false, code: 'notRunning' });
    // All output was written, and the session is about to close.
    await waitUntil(() => !sessionsOf(stage.socket).includes(id), { what: 'its session is gone' });
    expect(sessionsOf(stage.socket)).toEqual([`${id}b`]);
    expect(carriers(`/${id}b/`).length).toBeGreaterThan(0);
    long.send(endBy('SIGKILL'));
    await long.fact('output.ended');
  });

  test('bytes are typed unchanged', async () => {
    const stage = createStage();
    const run = stage.run(
      shell('stty raw -echo; printf ready; head -c 4 | od -An -tx1; head -c 300000 | cksum; sleep 300'),
    );
    await run.shows('ready');

    await run.ask((reply) => ({ type: 'process.write', data: Buffer.from([0, 0xff, 10, 27]), reply }));
    const many = await run.ask((reply) => ({
      type: 'process.write',
      data: Buffer.alloc(300_000, 'é;\n'),
      reply,
    }));

    await run.shows('00 ff 0a 1b');
    await run.shows(' 300000');
    expect(many).toEqual({ ok: true, bytesWritten: 300_000 });
    run.send(endBy('SIGKILL'));
    await run.fact('output.ended');
  });

  test('a NUL in a text is typed', async () => {
    const stage = createStage();
    const run = stage.run(shell('stty raw -echo; printf ready; head -c 5 | od -An -tx1; sleep 300'));
    await run.shows('ready');

    const answer = await run.ask((reply) => ({
      type: 'terminal.sendKeys',
      strokes: [{ type: 'text', text: 'a\0bé' }],
      reply,
    }));

    expect(answer).toEqual({ ok: true, bytesWritten: 5 });
    await run.shows('61 00 62 c3 a9');
    run.send(endBy('SIGKILL'));
    await run.fact('output.ended');
  });

  test('ending the input types Control-D', async () => {
    const stage = createStage();
    const run = stage.run({ type: 'argv', file: 'cat', args: [] });
    await run.ask((reply) => ({ type: 'process.write', data: Buffer.from('ping\n'), reply }));
    await waitUntil(() => run.printed().split('ping').length === 3);

    const ended = await run.ask((reply) => ({ type: 'process.endInput', reply }));

    expect(ended.ok).toBe(true);
    expect((await run.fact('process.exited')).exit).toEqual({ code: 0, signal: null });
  });

  test('a person attaches, sets the size, and leaves', async () => {
    const stage = createStage();
    const run = stage.run(shell(`trap 'stty size' WINCH; echo up; while :; do sleep 0.1; done`));
    const outer = createStage();
    await run.shows('up');
    const attach = `tmux -S '${stage.socket}' attach-session -t '=${run.request.id}'`;
    const person = outer.run(shell(attach), { terminal: { columns: 110, rows: 33 } });
    await person.shows('33 110');

    await run.shows('33 110');
    await person.ask((reply) => ({ type: 'process.write', data: Buffer.from([0x1d]), reply }));
    const { exit } = await person.fact('process.exited');
    await run.shows('24 80');

    expect(exit.code).toBe(0);
    const back = await run.capture();
    expect(back.ok && [back.screen.columns, back.screen.rows]).toEqual([80, 24]);
    run.send(endBy('SIGKILL'));
    await run.fact('output.ended');
    await person.fact('output.ended');
  });
});

function panesOf(socket: string): readonly string[] {
  return tmux(socket, 'list-panes', '-a', '-F', '#{pane_id}').split('\n').sort();
}

/** Server that no client can reach: it closes its last session after ten seconds. */
async function untilGoneByItself(server: number): Promise<void> {
  await waitUntil(
    () => {
      // tmux 3.3 sometimes misses the death of a child until it looks again.
      if (isAlive(server)) process.kill(server, 'SIGCHLD');
      return !isAlive(server);
    },
    { withinMs: 60_000, what: 'the server has ended by itself' },
  );
}

async function identityOf(pid: number) {
  const { pidNamespace } = await createCurrentTable().scope();
  return { pid, pidNamespace };
}
