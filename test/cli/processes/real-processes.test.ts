import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createReachableSupervisor } from '../../../src/control/reachable-supervisor.ts';
import { untilListening } from '../../control/arrange.ts';
import { isAlive, waitUntil } from '../../support/os.ts';
import { callProgram } from '../call-program.ts';
import { mainFile, projectDir, runProgram, STARTED_WITHIN_MS, sourceFile, startProgram } from '../program.ts';
import { ensureTmux, openTerminal } from '../tmux.ts';

const hasTmux = ensureTmux();
const STARTED = { withinMs: STARTED_WITHIN_MS };

/** A supervisor of this program, which the real one asks. */
function stage() {
  const project = projectDir();
  const supervisor = createReachableSupervisor({
    cwd: project.path,
    stateDirectory: '.troupe',
    timeout: 0,
    handleSignals: false,
  });
  const begin = (...args: readonly string[]) => startProgram(args, { cwd: project.path, env: project.env });
  return {
    project,
    begin,
    troupe: (...args: readonly string[]) => begin(...args).ran,
    call: (...args: readonly string[]) => callProgram(args, { cwd: project.path }),
    start: (label: string, command: string, own: { stdin?: 'pipe' } = {}) =>
      supervisor.start({ command, label, background: true, ...own }),
    watches: () => supervisor.watches(),
    /** Resolves once others can ask it. */
    reachable: () => untilListening(project.file('.troupe'), supervisor.id),
    async [Symbol.asyncDispose]() {
      await supervisor.shutdown();
      await project[Symbol.asyncDispose]();
    },
  };
}

test('another program lists, reads, writes to and kills a process', async () => {
  await using at = stage();
  const repl = at.start('repl', 'cat', { stdin: 'pipe' });
  await at.reachable();

  const listed = await at.troupe('ps');
  const written = await at.troupe('write', 'repl', 'hello', 'there');
  await waitUntil(() => repl.view().output.bytes > 0);
  const read = await at.troupe('process', 'output', 'repl');
  const killed = await at.troupe('kill', 'repl', '--json');

  expect(listed).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('repl: cat') });
  expect(written).toEqual({ code: 0, stderr: '', stdout: `12 bytes written to ${repl.id} (repl).\n` });
  expect(read).toEqual({ code: 0, stderr: '', stdout: 'hello there\n' });
  expect(killed).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(killed.stdout)).toMatchObject([
    { id: repl.id, type: 'killed', receipt: { survivors: [] } },
  ]);
  expect(await repl.ended).toMatchObject({ status: 'killed', reason: { by: 'user' } });
});

test.each([['-9'], ['-KILL'], ['-s', 'KILL']])('kill %s sends SIGKILL first', async (...signal) => {
  await using at = stage();
  const stubborn = at.start('stubborn', 'trap "" TERM; echo up; while :; do sleep 1; done');
  await at.reachable();

  const killed = await at.call('kill', ...signal, 'stubborn', '--json');

  expect(killed).toMatchObject({ code: 0, stderr: '' });
  expect(await stubborn.ended).toMatchObject({
    reason: { type: 'killed', signal: 'SIGKILL', escalated: false },
  });
});

test('kill --all ends every process of the directory', async () => {
  await using at = stage();
  const [one, other] = [at.start('one', 'sleep 600'), at.start('other', 'sleep 600')];
  await at.reachable();

  const killed = await at.call('kill', '--all', '-q');

  expect(killed).toEqual({ code: 0, stdout: '', stderr: '' });
  expect((await Promise.all([one.ended, other.ended])).map(({ status }) => status)).toEqual([
    'killed',
    'killed',
  ]);
  expect(await at.call('kill')).toMatchObject({ code: 2, stderr: expect.stringContaining('or --all') });
});

test('ps without options loads no package', async () => {
  await using at = stage();
  at.start('server', 'sleep 600');
  await at.reachable();
  const tell = `
    import { registerHooks } from 'node:module';
    registerHooks({ load(url, context, next) { process.stderr.write(url + '\\n'); return next(url, context); } });`;
  const node = ['--import', `data:text/javascript,${encodeURIComponent(tell)}`];
  const options = { cwd: at.project.path, env: at.project.env, node, program: sourceFile };

  const [quick, parsed] = await Promise.all([
    runProgram(['ps'], options),
    runProgram(['ps', '--state-dir', '.troupe'], options),
  ]);

  expect(quick.stderr).toContain('verbs/ps');
  expect(quick.stderr).not.toContain('node_modules');
  expect(parsed.stderr).toContain('node_modules/commander');
  expect(withoutTimes(quick.stdout)).toBe(withoutTimes(parsed.stdout));
});

test('wait ends with the exit code of the process', async () => {
  await using at = stage();
  const doomed = at.start('doomed', 'read line; exit 7', { stdin: 'pipe' });
  await at.reachable();

  const waiting = at.begin('wait', 'doomed');
  await doomed.endInput();

  expect(await waiting.ran).toEqual({
    code: 7,
    stdout: `${doomed.id} (doomed) exited with code 7.\n`,
    stderr: '',
  });
});

test('wait ends with 0 for a met condition, with 1 for an impossible one', async () => {
  await using at = stage();
  at.start('server', 'echo up; touch there; sleep 600');
  const over = at.start('over', 'read line; exit 7', { stdin: 'pipe' });
  await at.reachable();

  const held = await at.call('wait', 'server', '--text', 'up', '--file', 'there', '--all', '-q');
  const waiting = at.begin('wait', 'over', '--text', 'never');
  await over.endInput();
  const late = await at.call('wait', 'server', '--port', '9', '--timeout', '100ms');

  expect(held).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(await waiting.ran).toMatchObject({ code: 1, stderr: expect.stringContaining('exited with code 7') });
  expect(late).toMatchObject({ code: 124, stderr: expect.stringContaining('were not met after 100ms') });
});

test('watch prints what an agent would be told', async () => {
  await using at = stage();
  const server = at.start('server', 'echo up; sleep 600');
  await waitUntil(() => server.view().output.bytes > 0);
  await at.reachable();

  const ran = await at.call('watch', 'server', '--quiet-for', '300ms', '--once');

  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(ran.stdout).toMatch(/\(server\) has been silent for 300 ms\n {2}up\n$/);
  await waitUntil(() => at.watches().length === 0, { what: 'its watch is removed' });
});

test('a schedule is delivered by its supervisor', async () => {
  await using at = stage();
  at.start('server', 'sleep 600');
  await at.reachable();

  const added = await at.call(
    ...['schedule', 'add', '-q', '--every', '60s', '--process', 'server', 'Look', 'at it.'],
  );
  const listed = await at.call('schedule', 'list');
  const cancelled = await at.call('schedule', 'cancel', added.stdout.trim());

  expect(listed.stdout).toMatch(/1m 00s .*Look at it\./);
  expect(cancelled).toMatchObject({ code: 0, stdout: `${added.stdout.trim()} is cancelled.\n` });
  expect((await at.call('schedule', 'list')).stdout).toBe('No schedules\n');
});

test.each([
  ['wait', []],
  ['wait', ['--port', '9']],
  ['watch', ['--quiet-for', '1h']],
  ['logs', ['-f']],
])('Ctrl-C ends %s %j and leaves the process running', async (verb, flags) => {
  await using at = stage();
  const server = at.start('server', 'echo up; sleep 600');
  await at.reachable();
  const { child, ran } = at.begin(verb, ...flags, 'server');
  const pid = child.pid ?? 0;
  // Signals are caught from when it waits.
  await waitUntil(() => catchesHangup(pid), STARTED);

  child.kill('SIGINT');

  expect(await ran).toMatchObject({ code: 130 });
  expect(server.status).toBe('backgrounded');
  await waitUntil(() => at.watches().length === 0, { what: 'its watch is removed' });
});

test('logs --follow continue through a restart to the end', async () => {
  await using at = stage();
  const server = at.start('server', 'echo up; cat', { stdin: 'pipe' });
  await at.reachable();
  const following = at.begin('logs', '-f', 'server');
  let shown = '';
  following.child.stdout.on('data', (chunk) => {
    shown += chunk;
  });
  await waitUntil(() => shown === 'up\n', STARTED);

  const restarted = await at.call('restart', 'server');
  await waitUntil(() => shown === 'up\nup\n');
  await server.kill();

  expect(restarted).toMatchObject({ code: 0, stdout: `Process ${server.id} is restarting.\n` });
  expect(await following.ran).toMatchObject({ code: 0, stdout: 'up\nup\n' });
});

test('clean forgets only ended processes', async () => {
  await using at = stage();
  const over = at.start('over', 'echo done');
  at.start('server', 'sleep 600');
  await over.ended;
  await at.reachable();

  const dry = await at.call('clean', '--all', '--dry-run');
  const before = await at.call('ps', '-aq');
  const swept = await at.call('clean', '--all');
  const after = await at.call('ps', '-a');

  expect(dry.stdout).toMatch(/^Would remove 1 ended process and 1 log, \d/);
  expect(before.stdout.trim().split('\n')).toHaveLength(2);
  expect(swept.stdout).toMatch(/^Removed 1 ended process and 1 log, \d/);
  expect(after.stdout).toContain('server: sleep 600');
  expect(after.stdout).not.toContain('over:');
});

test('ps reports a damaged record and lists the others', async () => {
  await using at = stage();
  at.start('server', 'sleep 600');
  await at.reachable();
  writeFileSync(at.project.file('.troupe/processes/tool_broken.json'), '{"version":1,');

  const listed = await at.call('ps');

  expect(listed.code).toBe(0);
  expect(listed.stdout).toContain('server: sleep 600');
  expect(listed.stderr).toMatch(/^troupe: .*tool_broken\.json.*\.\n$/);
});

test('ps finds the state directory of a parent directory', async () => {
  await using at = stage();
  at.start('server', 'sleep 600');
  await at.reachable();
  mkdirSync(at.project.file('deep/down'), { recursive: true });

  const below = await callProgram(['ps', '-q'], { cwd: at.project.file('deep/down') });
  const named = await callProgram(['ps', '-q', '--state-dir', at.project.file('.troupe')], { cwd: '/' });
  const byVariable = await callProgram(['ps', '-q'], {
    cwd: '/',
    env: { TROUPE_STATE_DIR: at.project.file('.troupe') },
  });

  expect(below.stdout).toMatch(/^tool_\w+\n$/);
  expect([named.stdout, byVariable.stdout]).toEqual([below.stdout, below.stdout]);
});

test('ps reports a state directory that is missing or a file', async () => {
  await using project = projectDir();
  writeFileSync(project.file('file'), '');

  const missing = await callProgram(['ps', '--state-dir', 'nowhere'], { cwd: project.path });
  const file = await callProgram(['ps', '--state-dir', 'file'], { cwd: project.path });

  expect(missing).toMatchObject({ code: 0, stderr: expect.stringContaining('nowhere" does not exist') });
  expect(file).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('is a file') });
});

test.skipIf(process.getuid?.() === 0)('ps reports a state directory without permission', async () => {
  await using project = projectDir();
  mkdirSync(project.file('.troupe/processes'), { recursive: true });
  chmodSync(project.file('.troupe/processes'), 0);

  const listed = await callProgram(['ps'], { cwd: project.path });

  expect(listed).toMatchObject({ code: 1, stderr: expect.stringContaining('permission denied') });
});

test.skipIf(!hasTmux)(
  'top shows and ends processes and restores the terminal',
  { timeout: 60_000 },
  async () => {
    await using at = stage();
    const server = at.start('server', 'sleep 600');
    at.start('other', 'sleep 601');
    await at.reachable();
    const command = `echo before; '${process.execPath}' '${mainFile}' top`;
    await using terminal = await openTerminal({ command, cwd: at.project.path, columns: 60, rows: 20 });

    await terminal.shows(/2 running[\s\S]*server: sleep/);
    await terminal.press('Enter');
    await terminal.shows(/status +backgrounded[\s\S]*q back/);
    await terminal.press('q');
    await terminal.shows('q quit');
    await terminal.press('k');
    await terminal.shows(/End service_\w+|End \w+ \(server\) with its tree/);
    await terminal.press('y');
    await terminal.shows('1 running');
    await terminal.press('q');
    const screen = await terminal.shows('exit code 0');

    expect(screen).toMatch(/^before\nexit code 0$/);
    expect((await server.ended).status).toBe('killed');
  },
);

test('top prints its table once where there is no terminal', async () => {
  await using at = stage();
  at.start('server', 'sleep 600');
  await at.reachable();

  const [top, ps] = [await at.call('top'), await at.call('ps')];

  expect(top.code).toBe(0);
  expect(top.stdout).toMatch(/backgrounded .* server: sleep 600/);
  expect(top.stdout.split('\n')).toHaveLength(ps.stdout.split('\n').length);
});

test.skipIf(!hasTmux)('top restores the terminal after Ctrl-C', { timeout: 60_000 }, async () => {
  await using at = stage();
  at.start('server', 'sleep 600');
  await at.reachable();
  const command = `echo before; '${process.execPath}' '${mainFile}' top`;
  await using terminal = await openTerminal({ command, cwd: at.project.path, columns: 120, rows: 20 });
  await terminal.shows(/PID[\s\S]*server: sleep 600/);

  await terminal.resize(50);
  await terminal.shows(/STATUS +COMMAND/);
  await terminal.press('C-c');

  expect(await terminal.shows('exit code')).toMatch(/^before\nexit code 130$/);
});

test.skipIf(!hasTmux)('kill asks first at a terminal', { timeout: 60_000 }, async () => {
  await using at = stage();
  const server = at.start('server', 'sleep 600');
  await at.reachable();
  const command = `'${process.execPath}' '${mainFile}' kill server; '${process.execPath}' '${mainFile}' kill server`;
  await using terminal = await openTerminal({ command, cwd: at.project.path, columns: 60 });

  await terminal.shows('End this process, with everything started by it? [y/N]');
  await terminal.enter('n');
  await terminal.shows(/Nothing was ended\.[\s\S]*\[y\/N\] *$/);
  const leader = 'pid' in server.view() ? (server.view() as { pid: number }).pid : 0;
  expect(isAlive(leader)).toBe(true);
  await terminal.enter('y');

  await terminal.shows(/is gone after[\s\S]*exit code 0/);
  expect(isAlive(leader)).toBe(false);
});

function withoutTimes(table: string): string {
  return table.replaceAll(/ {2,}|\d+(\.\d+)?(s| ms)/g, ' ');
}

/** Whether a program has its own way with SIGHUP: bit 0 of what proc_pid_status(5) calls SigCgt. Node has none by itself. */
function catchesHangup(pid: number): boolean {
  const caught = /^SigCgt:\s*(\w+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0';
  return (BigInt(`0x${caught}`) & 1n) !== 0n;
}
