import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import type { CommandSpec, ProcessHandle, ScreenCapture } from '../../src/index.ts';
import { isInstalled, listTerminals } from '../support/installed.ts';
import { waitUntil } from '../support/os.ts';
import { openRealHarness, type RealHarness } from '../support/real.ts';

const kinds = listTerminals();

const withinMs = 30_000;

vi.setConfig({ testTimeout: 90_000 });

function start(stage: RealHarness, spec: CommandSpec): ProcessHandle {
  return stage.supervisor.start({ interactive: true, background: true, ...spec });
}

async function screenOf(handle: ProcessHandle): Promise<ScreenCapture> {
  const answer = await handle.capture();
  if (!answer.ok) throw new Error(answer.error);
  return answer.screen;
}

async function textOf(handle: ProcessHandle): Promise<string> {
  return (await screenOf(handle)).lines.join('\n');
}

/** Resolves with the screen once it shows that. */
async function shows(handle: ProcessHandle, wanted: string | RegExp): Promise<string> {
  const fits = (text: string) => (typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text));
  let last = '';
  await waitUntil(
    async () => {
      last = await textOf(handle);
      return fits(last);
    },
    { withinMs, what: `${wanted} on the screen` },
  ).catch((error: unknown) => {
    throw new Error(`${String(error)}; it shows:\n${last}`);
  });
  return last;
}

describe.each(kinds)('in a terminal of %s', (terminal) => {
  test('vim is typed in, saved and left', async (context) => {
    if (!isInstalled('vim')) context.skip();
    await using stage = openRealHarness({ terminal });
    const path = stage.file('poem.txt');
    const vim = start(stage, { command: ['vim', '-u', 'NONE', '-N', '-n', path] });
    await shows(vim, 'poem.txt');

    await vim.sendKeys({ keys: ['i'] });
    await shows(vim, 'INSERT');
    await vim.sendKeys({ text: 'a rose; is \\n a -rose' });
    await vim.sendKeys({ keys: ['Escape', 'y', 'y', 'p', 'k', 'x'] });
    await shows(vim, /rose; is \\n a -rose\n.*a rose; is \\n a -rose|a rose; is \\n a -rose\n.*rose/);
    await vim.sendKeys({ text: ':wq', pressEnter: true });
    const view = await vim.ended;

    expect(view).toMatchObject({ status: 'completed', mode: terminal, exit: { code: 0 } });
    expect(readFileSync(path, 'utf8')).toBe(' rose; is \\n a -rose\na rose; is \\n a -rose\n');
  });

  test('less is scrolled with arrows and left', async (context) => {
    if (!isInstalled('less')) context.skip();
    await using stage = openRealHarness({ terminal });
    const numbers = Array.from({ length: 200 }, (_, index) => `line ${index + 1}.`).join('\n');
    writeFileSync(stage.file('long.txt'), numbers);
    const less = start(stage, { command: ['less', stage.file('long.txt')] });
    await shows(less, 'line 1.');

    await less.sendKeys({ keys: ['Down', 'Down', 'Down'] });
    const scrolled = await shows(less, 'line 26.');
    await less.sendKeys({ keys: ['End'] });
    await less.sendKeys({ keys: ['G'] });
    await shows(less, 'line 200.');
    await less.sendKeys({ keys: ['q'] });

    expect(scrolled).not.toContain('line 3.');
    expect(await less.ended).toMatchObject({ status: 'completed' });
  });

  test('top runs until Ctrl-C', async (context) => {
    if (!isInstalled('top', 'procps')) context.skip();
    await using stage = openRealHarness({ terminal });
    const top = start(stage, { command: ['top', '-d', '1'], size: { columns: 100, rows: 30 } });
    const first = await shows(top, /PID.*COMMAND/);

    await top.sendKeys({ keys: ['C-c'] });
    const view = await top.ended;

    expect(first).toContain('load average');
    expect(['completed', 'failed']).toContain(view.status);
    expect(stage.alive(top.id)).toEqual([]);
  });

  test('a paste of several lines is not run line by line', async () => {
    await using stage = openRealHarness({ terminal });
    const bash = start(stage, { command: ['bash', '--norc', '--noprofile', '-i'], env: { PS1: 'ready> ' } });
    await shows(bash, 'ready>');

    await bash.paste('touch ran-one\ntouch ran-two');
    const pasted = await shows(bash, 'touch ran-two');
    const ranBefore = readdirSync(stage.directory).filter((name) => name.startsWith('ran-'));
    await bash.sendKeys({ pressEnter: true });
    await waitUntil(() => readdirSync(stage.directory).includes('ran-two'), { withinMs });

    expect(pasted).toContain('touch ran-one');
    expect(ranBefore).toEqual([]);
  });

  test('text and the names of keys are kept apart', async () => {
    await using stage = openRealHarness({ terminal });
    const cat = start(stage, { command: 'stty -echo; echo ready; cat' });
    await shows(cat, 'ready');
    const texts = [
      '  two  blanks  x',
      '-l leading dash',
      'trailing;',
      'back\\nslash \\\\ $HOME `id` "q" #{pid}',
      'Enter',
      'C-c',
      'ü € 漢字',
    ];

    for (const text of texts) await cat.sendKeys({ text, pressEnter: true });
    await shows(cat, '漢字');

    const { lines } = await screenOf(cat);
    expect(lines.slice(1, 1 + texts.length)).toEqual(texts.map((text) => text.trimEnd()));
  });

  test('the last screen is there after the end', async () => {
    await using stage = openRealHarness({ terminal });
    const handle = start(stage, { command: 'printf "top\\n\\033[5;10Hmiddle"; exit 3' });
    const view = await handle.ended;

    const screen = await screenOf(handle);

    expect(view).toMatchObject({ status: 'failed', exit: { code: 3, signal: null } });
    expect(screen.isLast).toBe(true);
    expect(screen.lines[0]).toBe('top');
    expect(screen.lines[4]).toBe('         middle');
    expect(await handle.sendKeys({ text: 'x' })).toMatchObject({ ok: false, code: 'notRunning' });
    expect(await handle.resize({ columns: 100, rows: 30 })).toMatchObject({ ok: false });
  });

  test('the exit code is true however the command ends', async () => {
    await using stage = openRealHarness({ terminal });
    const cases: readonly [string, number | null, string | null][] = [
      ['exit 3', 3, null],
      ['false # a comment', 1, null],
      ['true &', 0, null],
      ['cat <<END\nexit 9 "$HOME" `date`\nEND', 0, null],
      [`test "it's" = 'it'"'"'s' && exit 4`, 4, null],
      ['printf "exit 0\\ndrained\\nleader 1 2\\n"; exit 5', 5, null],
      ['kill -9 $$', null, 'SIGKILL'],
      ['kill -TERM $$', null, 'SIGTERM'],
      ['exit 137', 137, null],
    ];

    const ends = await Promise.all(cases.map(([command]) => start(stage, { command }).ended));

    expect(ends.map(({ exit }) => exit)).toEqual(cases.map(([, code, signal]) => ({ code, signal })));
  });

  test('leftovers do not keep a process in a terminal from ending', async () => {
    await using stage = openRealHarness({ terminal });

    const handle = start(stage, { command: "trap '' HUP; sleep 300 & echo hi; exit 6" });
    const view = await handle.ended;

    expect(view).toMatchObject({ status: 'failed', exit: { code: 6 } });
    expect(view.leftovers.map(({ command }) => command)).toEqual([expect.stringContaining('sleep')]);
    await handle.kill();
    expect(stage.alive(handle.id)).toEqual([]);
  });

  test('a kill ends the whole tree', async () => {
    await using stage = openRealHarness({ terminal });
    const handle = start(stage, {
      command: 'setsid sleep 300 & nohup sleep 300 & (sleep 300 & ) ; echo up; wait',
    });
    await shows(handle, 'up');
    await waitUntil(() => stage.alive(handle.id).length >= 4, { withinMs });

    const answer = await handle.kill({ grace: 500 });

    expect(answer.type).toBe('killed');
    expect(await handle.ended).toMatchObject({ status: 'killed' });
    expect(stage.alive(handle.id)).toEqual([]);
  });

  test('a very fast command loses nothing, twenty times', async () => {
    await using stage = openRealHarness({ terminal, maxBackgroundProcesses: 50 });

    const handles = Array.from({ length: 20 }, (_, index) =>
      start(stage, { command: `echo first-${index}` }),
    );
    const ends = await Promise.all(handles.map((handle) => handle.ended));

    expect(ends.map(({ status }) => status)).toEqual(Array(20).fill('completed'));
    expect(handles.map((handle) => handle.read().text.trim())).toEqual(
      handles.map((_, index) => `first-${index}`),
    );
  });

  test('a question without echo is known as one for a secret', async (context) => {
    if (!isInstalled('ssh-keygen', 'openssh-client')) context.skip();
    await using stage = openRealHarness({ terminal });
    const keygen = start(stage, { command: ['ssh-keygen', '-q', '-t', 'ed25519', '-f', stage.file('key')] });
    await shows(keygen, /passphrase/);

    // A prompt alone is a hint; that it reads a secret is known once it does.
    const { kind, certainty, prompt } = await waitUntil(
      () => {
        const { awaitsInput } = keygen.view();
        return awaitsInput?.certainty === 'known' ? awaitsInput : null;
      },
      { withinMs },
    );
    await keygen.sendKeys({ pressEnter: true });
    await shows(keygen, /again/);
    await keygen.sendKeys({ pressEnter: true });

    expect({ kind, certainty }).toEqual({ kind: 'secret', certainty: 'known' });
    expect(prompt).toMatch(/passphrase/);
    expect(await keygen.ended).toMatchObject({ status: 'completed' });
    expect(readdirSync(stage.directory)).toContain('key.pub');
  });

  test('git takes the words of a commit from an editor', async (context) => {
    if (!isInstalled('git') || !isInstalled('vim')) context.skip();
    await using stage = openRealHarness({ terminal });
    const identity = '-c user.name=t -c user.email=t@t -c commit.gpgsign=false';
    const git = start(stage, {
      command: `git init -q . && git ${identity} -c core.editor='vim -u NONE -N -n' commit -q --allow-empty`,
    });
    await shows(git, 'COMMIT_EDITMSG');

    await git.sendKeys({ keys: ['i'] });
    await shows(git, 'INSERT');
    await git.sendKeys({ text: 'Say it with -flags; and #signs', keys: ['Escape'] });
    await git.sendKeys({ text: ':wq', pressEnter: true });
    const view = await git.ended;
    const log = await stage.supervisor.execute({ command: 'git log --format=%s' });

    expect(view).toMatchObject({ status: 'completed' });
    expect(log).toMatchObject({ type: 'completed', stdout: 'Say it with -flags; and #signs\n' });
  });

  test('python is talked with', async (context) => {
    if (!isInstalled('python3')) context.skip();
    await using stage = openRealHarness({ terminal });
    const python = start(stage, { command: ['python3', '-q', '-i'] });
    await shows(python, '>>>');

    await python.sendKeys({ text: 'sum(range(101))', pressEnter: true });
    await shows(python, '5050');
    await python.endInput();

    expect(await python.ended).toMatchObject({ status: 'completed' });
  });

  test('a watch tells once of each silence of the screen', async () => {
    await using stage = openRealHarness({ terminal });
    // It prints all the time and shows the same picture until the file `go` exists.
    const same = 'while ! [ -e go ]; do printf "\\r[same]"; sleep 0.05; done; printf "\\r[next]"; sleep 60';
    const handle = start(stage, { command: same });
    await shows(handle, '[same]');
    const told: string[][] = [];
    stage.supervisor.news$.subscribe((news) => {
      if (news.type === 'watch.quiet') told.push([...news.lines]);
    });

    stage.supervisor.watch(handle.id, { quiet: '1h' });
    stage.supervisor.watch(handle.id, { quiet: '600ms' });
    await waitUntil(() => told.length === 1, { withinMs });
    const before = handle.read().to;
    // It continues to print: a second of the same picture is no second silence.
    await waitUntil(() => handle.read().to > before + 100, { withinMs });
    const toldOfTheSame = told.length;
    writeFileSync(stage.file('go'), '');
    await waitUntil(() => told.length === 2, { withinMs });
    await handle.kill();
    await handle.ended;

    expect(toldOfTheSame).toBe(1);
    expect(told).toEqual([['[same]'], ['[next]']]);
    expect(stage.supervisor.unwatch(handle.id)).toBe(false);
    expect(stage.supervisor.watches()).toEqual([]);
  });
});

test('without a terminal the fallback is said', async () => {
  await using stage = openRealHarness({ terminal: 'none' });

  const handle = start(stage, { command: 'read answer; echo "you said $answer"' });
  const view = handle.view();
  await handle.writeLine('yes');
  await handle.ended;

  expect(view.mode).toBe('pipe');
  expect(view.terminal).toEqual({ type: 'none', because: expect.stringContaining('"terminal" is "none"') });
  expect(handle.read().text).toBe('you said yes\n');
  expect(await handle.capture()).toMatchObject({
    ok: false,
    code: 'noTerminal',
    error: expect.stringContaining('pipes'),
  });
});
