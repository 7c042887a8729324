import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { isAlive, waitUntil } from '../../support/os.ts';
import { callProgram } from '../call-program.ts';
import { ensureTmux } from '../tmux.ts';
import { openAttachStage } from './arrange.ts';

/** Repeats each line of its input. */
const talker = `printf 'moin> '; while read line; do echo "got $line"; done`;

describe.skipIf(!ensureTmux())('a person in a terminal', { timeout: 60_000 }, () => {
  test('sees the screen, types and detaches while the process continues', async () => {
    await using at = await openAttachStage(talker);
    await at.shows('moin>');
    await using person = await at.attach('attach it');

    await person.shows('moin>');
    await person.enter('tea');
    await person.shows('got tea');
    await person.press('C-]');
    const left = await person.shows('exit code 0');

    expect(left).toMatch(/^moin> tea\ngot tea\n/);
    expect(left.replaceAll('\n', '')).toContain(`continues; attach again: troupe attach ${at.handle.id}`);
    expect(at.handle.status).toBe('backgrounded');
    await at.shows('got tea');
  });

  test('has it in the size of the own terminal while there', async () => {
    await using at = await openAttachStage(`trap 'stty size' WINCH; echo up; while :; do sleep 0.1; done`);
    await at.shows('up');
    await using person = await at.attach('attach it', { columns: 70, rows: 20 });
    await person.shows('20 70');

    await person.resize(60);
    await person.shows('20 60');
    await person.press('C-]');
    await person.shows('exit code 0');

    await waitUntil(async () => (await at.size()) === '80x24', { what: 'it has its own size again' });
  });

  test.each([
    ['leaving', async (person: Person) => person.press('C-]')],
    [
      'the end of the process',
      async (_: Person, at: Stage) => void (await at.handle.kill({ signal: 'SIGKILL' })),
    ],
    ['the end of the supervisor', async (_: Person, at: Stage) => void (await at.supervisor.shutdown())],
  ])('%s gives the terminal back as it was', async (_name, act) => {
    await using at = await openAttachStage(`printf '\\033[?1h\\033[?1000h\\033[?2004hup'; exec sleep 1000`);
    await at.shows('up');
    await using person = await at.attach('attach it');
    await person.shows('up');

    await act(person, at);
    await person.shows('exit code');

    expect(readFileSync(at.project.file('after'), 'utf8')).toBe(
      readFileSync(at.project.file('before'), 'utf8'),
    );
    expect(await person.modes()).toBe('0 0 1 0');
  });

  test('a signal that ends it gives the terminal back', async () => {
    await using at = await openAttachStage(`printf '\\033[?1h\\033[?25lup'; exec sleep 1000`);
    await at.shows('up');
    await using person = await at.attach('attach it');
    await person.shows('up');

    process.kill(Number(readFileSync(at.project.file('pid'), 'utf8')), 'SIGTERM');
    await person.shows('exit code 143');

    expect(readFileSync(at.project.file('after'), 'utf8')).toBe(
      readFileSync(at.project.file('before'), 'utf8'),
    );
    expect(await person.modes()).toBe('0 0 1 0');
    await waitUntil(async () => (await at.size()) === '80x24');
  });

  test.each(['pty', 'tmux'] as const)(
    'a window in which %s was shown is closed without harm',
    async (terminal) => {
      await using at = await openAttachStage(talker, { terminal });
      await at.shows('moin>');
      await using person = await at.attach('attach it');
      await person.shows('moin>');

      await person.closeWindow();
      const pid = Number(readFileSync(at.project.file('pid'), 'utf8'));
      await waitUntil(() => !isAlive(pid), { withinMs: 30_000 });

      expect(at.handle.status).toBe('backgrounded');
      await waitUntil(async () => (await at.size()) === '80x24' || terminal === 'tmux');
    },
  );

  test('a full-screen program is drawn anew, and gone after leaving', async () => {
    const drawing = `printf '\\033[?1049h\\033[H\\033[31mred\\033[0m in the middle'; exec sleep 1000`;
    await using at = await openAttachStage(drawing);
    await at.shows('red in the middle');
    await using person = await at.attach('attach it');

    await person.shows('red in the middle');
    expect(await person.colours()).toContain('\x1b[31mred');
    await person.press('C-]');
    const left = await person.shows('exit code 0');

    expect(left).not.toContain('red in the middle');
  });

  test('two at once see the same, and both type', async () => {
    await using at = await openAttachStage(talker);
    await at.shows('moin>');
    await using one = await at.attach('attach it');
    await using other = await at.attach('attach it --leave-key C-q');
    await Promise.all([one.shows('moin>'), other.shows('moin>')]);

    await one.enter('tea');
    await other.shows('got tea');
    await other.enter('milk');
    await one.shows('got milk');
    await other.press('C-q');
    await other.shows('exit code 0');

    await one.enter('more');
    await one.shows('got more');
  });

  test('a read-only client types nothing and changes no size', async () => {
    await using at = await openAttachStage(talker);
    await at.shows('moin>');
    await using person = await at.attach('attach it --read-only');
    await person.shows('moin>');

    await person.enter('tea');
    await at.handle.sendKeys({ text: 'milk', pressEnter: true });
    const seen = await person.shows('got milk');
    await person.press('C-]');
    await person.shows('exit code 0');

    expect(seen).not.toContain('tea');
    expect(await at.size()).toBe('80x24');
  });

  test('the end of the process ends it with its code', async () => {
    await using at = await openAttachStage(`read line; echo bye; exit 7`);
    await using person = await at.attach('attach it');
    await waitUntil(async () => (await at.size()) === '70x20', { withinMs: 30_000 });

    await person.enter('');
    const screen = await person.shows('exit code 7');

    expect(screen).toMatch(/bye[\s\S]*exited with code 7/);
  });

  test('in tmux it is tmux that shows it', async () => {
    await using at = await openAttachStage(talker, { terminal: 'tmux' });
    await at.shows('moin>');
    await using person = await at.attach('attach it');

    await person.shows('moin>');
    await person.enter('tea');
    await person.shows('got tea');
    await person.press('C-b', 'd');
    const left = await person.shows('exit code 0');

    expect(left.replaceAll('\n', '')).toContain(`continues; attach again: troupe attach ${at.handle.id}`);
    expect(readFileSync(at.project.file('after'), 'utf8')).toBe(
      readFileSync(at.project.file('before'), 'utf8'),
    );
  });

  test('the end of the process in tmux is its code, and its last screen', async () => {
    await using at = await openAttachStage(`echo up; read line; echo bye; exit 7`, { terminal: 'tmux' });
    await at.shows('up');
    await using person = await at.attach('attach it');
    await person.shows('up');

    await person.enter('');

    expect(await person.shows('exit code 7')).toMatch(/bye[\s\S]*exited with code 7/);
  });

  test('keys reach the process as they are', async () => {
    await using at = await openAttachStage(
      `stty raw -echo; printf ready; while :; do dd bs=1 count=1 2>/dev/null | od -An -tx1; done`,
    );
    await at.shows('ready');
    await using person = await at.attach('attach it');
    await person.shows('ready');

    await person.press('C-c', 'Escape', 'Up', 'F5');

    await waitUntil(() =>
      /03\s+1b\s+1b\s+(5b|4f)\s+41\s+1b\s+5b\s+31\s+35\s+7e/.test(at.handle.read({ format: 'raw' }).text),
    );
  });
});

type Stage = Awaited<ReturnType<typeof openAttachStage>>;
type Person = Awaited<ReturnType<Stage['attach']>>;

test.each([
  ['to an ended process', 'exit 0', 'has ended'],
  ['without a terminal', 'sleep 1000', 'stdin or stdout is not one'],
])('attach %s fails and says what to do', async (_name, command, words) => {
  await using at = await openAttachStage(command);
  if (command === 'exit 0') await at.handle.ended;

  const ran = await callProgram(['attach', 'it'], { cwd: at.project.path });

  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(ran.stderr).toContain(words);
  expect(ran.stderr).toContain('troupe screen');
});
