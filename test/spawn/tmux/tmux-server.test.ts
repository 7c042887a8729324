import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { createStarter } from '../../../src/spawn/starter/starter.ts';
import { createTmuxServer, toPaneTarget } from '../../../src/spawn/tmux/tmux-server.ts';
import { tempDir } from '../../support/os.ts';

/** A server whose tmux is this script, with its call as `$*`. Each call is written down with what it reads. */
function arrange(script: string) {
  const place = tempDir();
  onTestFinished(place.remove);
  const [program, log] = [place.file('tmux'), place.file('log')];
  const note = `{ printf '%s\\n' "$*"; cat; } >>'${log}'`;
  writeFileSync(program, `#!/bin/sh\n${note}\n${script}\n`);
  chmodSync(program, 0o755);
  const server = createTmuxServer({ program, socket: '/run/t.sock' });
  const calls = () => (existsSync(log) ? readFileSync(log, 'utf8') : '');
  return { server, calls, program };
}

const base = '-u -S /run/t.sock -f /dev/null';

test('commands are given to tmux as a file, and its text is the answer', async () => {
  const { server, calls } = arrange(`printf 'a\\n\\n'`);

  expect(await server.ask([['one', 'a b'], ['two']])).toEqual({ ok: true, text: 'a\n\n' });

  expect(calls()).toBe(`${base} start-server ; source-file -\n'one' 'a b' ; 'two'\n`);
});

test('short commands are words, and the first reads the input', async () => {
  const { server, calls } = arrange('printf done');

  expect(await server.run(Buffer.from('bytes'), [['load-buffer', '-'], ['paste'], ['x', 'y']])).toEqual({
    ok: true,
    text: 'done',
  });

  expect(calls()).toBe(`${base} load-buffer - ; paste ; x y\nbytes`);
});

test('tmux gets no variables but the PATH, a locale and a lineage', async () => {
  const { server } = arrange('env | cut -d= -f1 | sort | tr "\\n" " "');

  const answer = await server.run(new Uint8Array(), [['x']]);

  expect(
    answer.ok && answer.text.split(' ').filter((name) => !['PWD', 'OLDPWD', 'SHLVL', '_', ''].includes(name)),
  ).toEqual(['LC_ALL', 'PATH', 'TROUPE_LINEAGE']);
});

test.each([
  { use: true, parent: 'the starter' },
  { use: false, parent: 'this program' },
])('tmux is started by $parent with starter: $use', async ({ use }) => {
  const { program } = arrange('echo $PPID');
  const starter = createStarter({ use, inheritedLineage: undefined, reportError: () => {} });
  const server = createTmuxServer({ program, socket: '/run/t.sock', starter });

  const answer = await server.ask([['x']]);

  const parent = use ? starter.pid : process.pid;
  await starter.close();
  expect(answer).toEqual({ ok: true, text: `${parent}\n` });
});

test.each([
  ['echo "no space" >&2; exit 1', 'no space', false],
  ['echo "[lost it]"; exit 1', '[lost it]', false],
  [`echo "can't find pane: x" >&2; exit 1`, `can't find pane: x`, true],
  ['echo "no such session: x" >&2; exit 1', 'no such session: x', true],
  ['echo "no such pane" >&2; exit 1', 'no such pane', true],
  ['echo "no current client" >&2; exit 1', 'no current client', true],
])('a tmux that fails is quoted: %s', async (script, error, isGone) => {
  const { server } = arrange(script);

  expect(await server.ask([['x']])).toEqual({ ok: false, error, isGone });
});

test('a tmux that fails without a word is named with its code', async () => {
  const { server, program } = arrange('exit 3');

  expect(await server.ask([['x']])).toEqual({
    ok: false,
    error: expect.stringMatching(`exit code 3.*${program}`),
    isGone: false,
  });
});

test('a missing tmux is an answer', async () => {
  const server = createTmuxServer({ program: '/no/such/tmux', socket: '/run/t.sock' });

  expect(await server.ask([['x']])).toMatchObject({ ok: false, isGone: false });
});

test.each([
  'server exited',
  'lost server',
  'no server running on x',
  'error connecting to x',
  'Connection refused',
])('a server that ended is started again, up to five times: %s', async (error) => {
  const { server, calls } = arrange(`echo '${error}' >&2; exit 1`);

  expect(await server.ask([['x']])).toMatchObject({ ok: false, error });

  expect(calls().match(/start-server/g)).toHaveLength(5);
});

test('another failure is not repeated', async () => {
  const { server, calls } = arrange('echo "no space" >&2; exit 1');

  await server.ask([['x']]);

  expect(calls().match(/start-server/g)).toHaveLength(1);
});

test.each([
  ["printf '4711 0\\n'", { pid: 4711, isDead: false }],
  ["printf '4711 1\\n'", { pid: 4711, isDead: true }],
  ["printf '4711 \\n'", { pid: 4711, isDead: false }],
  ["printf 'x 1\\n'", null],
  ['echo "can\'t find session: x" >&2; exit 1', null],
  ['echo "no server running on x" >&2; exit 1', null],
  ['echo "error connecting to x" >&2; exit 1', null],
])('the terminal of a session is found: %s', async (script, pane) => {
  const { server, calls } = arrange(script);

  expect(await server.findPane('tool_a')).toEqual(pane);

  expect(calls()).toBe(`${base} list-panes -t =tool_a: -F #{pane_pid} #{pane_dead}\n`);
});

test('a tmux that cannot say whether a session exists is an error', async () => {
  const { server } = arrange('echo "too many files" >&2; exit 1');

  await expect(server.findPane('tool_a')).rejects.toThrow(
    'tmux could not report whether the session tool_a exists: too many files',
  );
});

test('a target names its session alone', () => {
  expect(toPaneTarget('tool_a')).toBe('=tool_a:');
});
