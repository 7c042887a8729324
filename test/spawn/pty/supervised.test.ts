import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import type { CaptureAnswer, ProcessHandle } from '../../../src/index.ts';
import { carriers, commandOf, endAll, tempDir, waitUntil } from '../../support/os.ts';
import { openRealHarness } from '../../support/real.ts';

const shows = (handle: ProcessHandle, text: string) => {
  let answer: CaptureAnswer | null = null;
  return waitUntil(
    async () => {
      answer = await handle.capture();
      return answer.ok && answer.screen.lines.join('\n').includes(text) ? answer.screen : null;
    },
    { withinMs: 30_000, what: () => `${text} is on the screen; the last answer: ${JSON.stringify(answer)}` },
  );
};

test('an interactive process takes input from start to end', async () => {
  await using stage = openRealHarness({ terminal: 'pty' });
  const script = `printf 'name? '; read -r name; echo "hello $name"; read -r _; exit 4`;
  const handle = stage.supervisor.start({ command: script, interactive: true, background: true });
  await shows(handle, 'name?');

  const typed = await handle.sendKeys({ text: ' -n; \\n ', pressEnter: true });
  await shows(handle, 'hello -n;');
  const resized = await handle.resize({ columns: 100, rows: 30 });
  const { columns, rows } = await shows(handle, 'hello');
  await handle.sendKeys({ keys: ['C-u', 'Enter'] });
  const view = await handle.ended;
  const last = await handle.capture();

  expect(typed.ok && resized.ok).toBe(true);
  expect({ columns, rows }).toEqual({ columns: 100, rows: 30 });
  expect(view).toMatchObject({ mode: 'pty', status: 'failed', exit: { code: 4, signal: null } });
  expect(last.ok && last.screen).toMatchObject({ isLast: true, columns: 100, rows: 30 });
  expect(last.ok && last.screen.lines.join('\n')).toContain('hello -n; \\n');
  expect(handle.read().text).toContain('hello -n;');
  expect(await handle.sendKeys({ keys: ['Enter'] })).toMatchObject({ ok: false });
  expect(await handle.resize({ columns: 90, rows: 20 })).toMatchObject({ ok: false });
});

test('input is written and ended as in a pipe', async () => {
  await using stage = openRealHarness({ terminal: 'pty' });
  const handle = stage.supervisor.start({ command: ['cat'], interactive: true, background: true });
  await waitUntil(() => stage.alive(handle.id).length > 0);

  await handle.writeLine('one');
  await shows(handle, 'one\none');
  await handle.endInput();

  expect(await handle.ended).toMatchObject({ status: 'completed', exit: { code: 0 } });
});

test('each attempt gets a terminal of its own', async () => {
  await using stage = openRealHarness({ terminal: 'pty' });
  const command = 'test -e again && echo second || echo first; touch again; stty size; sleep 300';
  const handle = stage.supervisor.start({ command, interactive: true, background: true });
  const first = await shows(handle, 'first\n24 80');

  handle.restart();
  const second = await shows(handle, 'second\n24 80');

  expect(first.lines.join()).not.toContain('second');
  expect(second.lines.join()).not.toContain('first');
});

test("a screen's offset counts the whole output", async () => {
  await using stage = openRealHarness({ terminal: 'pty' });
  const secret = 'a-secret-of-21-bytes!';
  const command = 'echo "$PW"; sleep 300';
  const handle = stage.supervisor.start({
    command,
    secrets: { PW: secret },
    interactive: true,
    background: true,
  });
  await shows(handle, '[redacted]');
  handle.restart();

  const lineBytes = '[redacted]\r\n'.length;
  const offset = await waitUntil(async () => {
    const answer = await handle.capture();
    return answer.ok && handle.view().output.lines === 2 && answer.offset >= 2 * lineBytes && answer.offset;
  });

  expect(offset).toBe(2 * lineBytes);
});

test('a kill shows the last screen and leaves nothing', async () => {
  await using stage = openRealHarness({ terminal: 'pty' });
  const command = 'trap "" HUP TERM INT; setsid sleep 300 & echo stubborn; while :; do sleep 1; done';
  const handle = stage.supervisor.start({ command, interactive: true, background: true });
  await shows(handle, 'stubborn');

  await handle.kill({ grace: 100 });
  const last = await handle.capture();

  expect(stage.alive(handle.id)).toEqual([]);
  expect(handle.view()).toMatchObject({ exit: { code: null, signal: 'SIGKILL' } });
  expect(last.ok && last.screen.lines[0]).toBe('stubborn');
});

test('a killed supervisor leaves no terminal behind', { timeout: 60_000 }, async () => {
  const directory = tempDir();
  const program = fileURLToPath(new URL('terminal-host.ts', import.meta.url));
  const host = spawn(process.execPath, [program, directory.path], { stdio: ['ignore', 'pipe', 'inherit'] });
  let id = '';
  onTestFinished(async () => {
    host.kill('SIGKILL');
    if (id !== '') await endAll([], `/${id}/`);
    directory.remove();
  });
  const [line] = (await once(createInterface(host.stdout), 'line')) as [string];
  id = line.replace('ready ', '');
  // In the middle of its start a program shows no lineage for a moment.
  await waitUntil(() => carriers(`/${id}/`).length >= 3, { what: 'the shell and its children are there' });

  host.kill('SIGKILL');

  await waitUntil(() => carriers(`/${id}/`).length === 0, { withinMs: 30_000 });
  expect(carriers(`/${id}/`)).toEqual([]);
});

test('an interactive shell ends at once when it is killed', async () => {
  await using stage = openRealHarness({ terminal: 'pty' });
  const handle = stage.supervisor.start({
    command: ['bash', '--norc', '-i'],
    env: { PS1: 'ready> ' },
    interactive: true,
    background: true,
  });
  await shows(handle, 'ready>');

  const answer = await handle.kill({ grace: '60s' });

  expect(answer).toMatchObject({ type: 'killed', receipt: { escalated: false, survivors: [] } });
  expect(stage.alive(handle.id)).toEqual([]);
});

test('a halted program in an interactive shell ends with it', async () => {
  await using stage = openRealHarness({ terminal: 'pty' });
  const handle = stage.supervisor.start({
    command: ['bash', '--norc', '-i'],
    env: { PS1: 'ready> ' },
    interactive: true,
    background: true,
  });
  await shows(handle, 'ready>');
  await handle.sendKeys({ text: 'sleep 300', pressEnter: true });
  // As a fork of the shell it is not yet in the foreground, and the key would reach the shell, which ignores it.
  await waitUntil(() => stage.alive(handle.id).some((pid) => commandOf(pid)[0] === 'sleep'));
  const halted = await handle.sendKeys({ keys: ['C-z'] });
  await shows(handle, 'Stopped');

  const answer = await handle.kill({ grace: '60s' });

  expect(halted.ok).toBe(true);
  expect(answer).toMatchObject({ type: 'killed', receipt: { escalated: false, survivors: [] } });
  expect(stage.alive(handle.id)).toEqual([]);
});
