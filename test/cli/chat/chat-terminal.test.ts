import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { waitUntil } from '../../support/os.ts';
import { mainFile, projectDir } from '../program.ts';
import { ensureTmux, openTerminal } from '../tmux.ts';

const chat = `${process.execPath} ${mainFile} chat`;
const ended = /exit code \d+$/;

/** A chat in a real terminal, with an agent that does what its script understands; `again` are the flags of one that comes after it. */
/** Asks before every start, also of a command that only reads. */
const ASKING = 'default, permissions: { start: ask }';

async function openChat({ columns = 80, policy = 'auto', flags = '', term = '', again = '' } = {}) {
  const project = projectDir();
  mkdirSync(project.file('agents'));
  writeFileSync(
    project.file('agents/worker.yaml'),
    `name: worker\nmodel: scripted\npolicy: { mode: ${policy} }\n`,
  );
  const lines = [flags, again].filter((_, index) => index === 0 || again !== '');
  const command = lines.map((line) => `TROUPE_LINEAGE=${project.env.TROUPE_LINEAGE} ${term} ${chat} ${line}`);
  const terminal = await openTerminal({ command: command.join('; '), cwd: project.path, columns });
  await terminal.shows('/help lists the commands').catch(async (error: unknown) => {
    await terminal[Symbol.asyncDispose]();
    await project[Symbol.asyncDispose]();
    throw error;
  });
  return {
    ...terminal,
    project,
    /** What `held` commands wait for. */
    letGo: () => writeFileSync(project.file('go'), ''),
    async [Symbol.asyncDispose]() {
      await terminal[Symbol.asyncDispose]();
      await project[Symbol.asyncDispose]();
    },
  };
}

/** It lasts until it is let go. */
const held = 'until test -e go; do sleep 0.1; done';

describe.skipIf(!ensureTmux())('a chat in a real terminal', { timeout: 90_000 }, () => {
  test.each([80, 120])('tells apart who speaks at %i columns', async (columns) => {
    await using at = await openChat({ columns, flags: '--supervisor.default_timeout=0.5' });

    await at.enter(`run echo first; ${held}; echo last`);
    await at.shows(/⇢ [\s\S]*●[\s\S]*\n›$/);
    at.letGo();
    const screen = await at.shows(/◆ tool_\w+ completed[^◆]*●[^◆]*\n›/);

    const lines = screen.split('\n');
    expect(lines.every((line) => line.length <= columns)).toBe(true);
    const marks = lines.map((line) => line[0]).filter((mark) => '›→⇢←●◆'.includes(mark ?? ' '));
    expect(marks.join('')).toBe('›→⇢←●◆●›');
    expect(screen).toContain(`\n→ run_command  $ echo first; ${held}; echo last\n`);
    expect(screen).toMatch(/^⇢ tool_\w+ continues in the background after \d/m);
    expect(screen).toMatch(/^ {2}│ first\n {2}│ last$/m);
    expect(await at.colours()).toMatch(/\x1b\[[\d;]*35m.*◆/);
  });

  test('a line being typed survives a notice', async () => {
    await using at = await openChat({ flags: '--supervisor.default_timeout=0.3' });
    await at.enter(`run ${held}`);
    await at.shows(/●[\s\S]*\n›$/);

    await at.type('half a sen');
    await at.shows(/› half a sen$/);
    at.letGo();
    const screen = await at.shows(/◆ tool_\w+ completed[\s\S]*\n› half a sen$/);
    await at.type('tence');

    expect(await at.shows(/› half a sentence$/)).toContain('◆');
    expect(screen.match(/half a sen/g)).toHaveLength(1);
  });

  test('a long line being typed survives, too', async () => {
    await using at = await openChat({ flags: '--supervisor.default_timeout=0.3' });
    await at.enter(`run ${held}`);
    await at.shows(/●[\s\S]*\n›$/);
    const long = Array.from({ length: 30 }, (_, index) => `word${index}`).join(' ');

    await at.type(long);
    await at.shows(/word29$/);
    at.letGo();
    const screen = await at.shows(/◆ tool_\w+ completed[\s\S]*\n● [\s\S]*\n› word0 [\s\S]*word29$/);

    expect(screen.match(/word0 /g)).toHaveLength(1);
    expect(screen.match(/^● /gm)).toHaveLength(2);
  });

  test('a resized window shows the line once', async () => {
    await using at = await openChat();
    const long = Array.from({ length: 30 }, (_, index) => `word${index}`).join(' ');
    await at.type(long);
    await at.shows(/word29$/);

    const raw = at.project.file('raw');
    await at.record(raw);
    const redrawn = () => (existsSync(raw) ? readFileSync(raw, 'utf8').split('word29').length : 1);

    for (const width of [50, 100, 41]) {
      const before = redrawn();
      await at.resize(width);
      await waitUntil(() => redrawn() > before, { what: 'the line is drawn anew' });
    }
    await at.type('!');
    // The last two sizes may be drawn after the key.
    const screen = await at.shows(/^(?![\s\S]*word29[\s\S]*word29)[\s\S]*word29!$/);

    // What is erased from the first row on, tmux keeps above: only the screen tells.
    expect(screen.match(/word29/g)).toHaveLength(1);
    expect(screen.match(/wor\s*d28/g)).toHaveLength(1);
    expect(await at.history()).toContain('/help lists the commands');
  });

  test('a warning of the program stands above the line being typed', async () => {
    const warn = 'setTimeout(()=>process.emitWarning(/mind_the_gap/.source),1500)';
    await using at = await openChat({ term: `NODE_OPTIONS='--import=data:text/javascript,${warn}'` });

    await at.type('half a sen');
    const screen = await at.shows(/! mind_the_gap\n› half a sen$/);

    expect(screen).not.toContain('(node:');
  });

  test('two Ctrl-C at once end in order', async () => {
    await using at = await openChat();
    await at.enter('run sleep 600');
    await at.project.started();

    await at.press('C-c', 'C-c');
    const screen = await at.shows(ended);

    expect(screen).toMatch(/Nothing is left running\.[\s\S]*exit code 130$/);
    await at.project.gone();
  });

  test('Ctrl-C interrupts, and a second one ends', async () => {
    await using at = await openChat();
    await at.enter('run sleep 600');
    await at.project.started();

    await at.press('C-c');
    await at.shows('! Interrupted.');
    await at.press('C-c');
    const screen = await at.shows(ended);

    expect(screen).toContain('· Ending 1 process …\n· Nothing is left running.');
    expect(screen).toMatch(/· Saved as worker_\w{8}\. Resume it: troupe chat --resume\nexit code 130$/);
    await at.project.gone();
  });

  test('Ctrl-C ends a chat that does nothing', async () => {
    await using at = await openChat();

    await at.press('C-c');

    expect(await at.shows(ended)).toMatch(/exit code 130$/);
  });

  test('Ctrl-C first clears what is typed', async () => {
    await using at = await openChat();
    await at.type('never mind');
    await at.shows('› never mind');

    await at.press('C-c');
    await at.shows(/\n›$/);
    await at.press('C-d');

    expect(await at.shows(ended)).toMatch(/exit code 0$/);
  });

  test('a question is answered yes, no, or for good', async () => {
    await using at = await openChat({ policy: ASKING });

    await at.enter('run echo one');
    await at.shows(/always, in this chat ›$/);
    await at.enter('maybe');
    await at.shows('"maybe" is not an answer: type y, n or a.');
    await at.enter('n');
    await at.shows('Denied.');
    await at.enter('run echo two');
    await at.shows(/Denied[\s\S]*"always" would allow: echo \*[\s\S]*always, in this chat ›$/);
    await at.enter('a');
    await at.shows(/Allowed, and from now on for worker in this chat: echo \*[\s\S]*│ two/);
    await at.enter('run echo three');
    const screen = await at.shows('│ three');

    expect(screen).not.toContain('│ one');
    expect(screen.match(/^\? run_command/gm)?.length).toBe(2);
  });

  test('always covers nothing but what it showed', async () => {
    await using at = await openChat({ policy: ASKING });
    await at.enter('run echo one');
    await at.shows(/always, in this chat ›$/);
    await at.enter('a');
    await at.shows('│ one');

    await at.enter('run X=touch; $X victim');
    const question = await at.shows(/only known\s+when it runs[\s\S]*y yes · n no ›$/);
    await at.enter('a');
    await at.shows('"a" is not an answer: type y or n.');
    await at.enter('n');
    await at.shows('Denied.');

    expect(question).toMatch(/by agent worker, call \S+\n/);
    expect(existsSync(at.project.file('victim'))).toBe(false);
  });

  test('a question stands while one looks around', async () => {
    await using at = await openChat({ policy: ASKING });
    await at.enter('run echo one');
    await at.shows(/always, in this chat ›$/);

    await at.enter('/processes');
    await at.shows(/No processes so far\.\n\n\? [\s\S]*echo one[\s\S]*always, in this chat ›$/);
    await at.enter('/help');
    await at.shows(/Ctrl-C interrupts the agent[\s\S]*\n\? [\s\S]*echo one[\s\S]*always, in this chat ›$/);
    await at.enter('y');

    expect(await at.shows(/│ one[\s\S]*\n›$/)).toContain('Allowed.');
  });

  test('a dumb terminal gets nothing but text', async () => {
    await using at = await openChat({ policy: ASKING, term: 'TERM=dumb' });
    const raw = at.project.file('raw');
    await at.record(raw);

    await at.enter('run echo one');
    await at.shows(/always, in this chat ›$/);
    await at.enter('y');
    await at.shows('│ one');
    await at.enter('run sleep 600');
    await at.shows(/│ one[\s\S]*always, in this chat ›$/);
    await at.enter('y');
    await at.project.started();
    await at.press('C-c');
    await at.shows('! Interrupted.');
    await at.enter('/quit');
    const screen = await at.shows(ended);

    expect(screen).toMatch(/Nothing is left running\.[\s\S]*exit code 0$/);
    await waitUntil(() => readFileSync(raw, 'utf8').includes('exit code'), { what: 'all is recorded' });
    expect(readFileSync(raw, 'utf8')).not.toContain('\x1b');
  });

  test('a question gives back what was being typed', async () => {
    await using at = await openChat({ policy: ASKING, flags: '--supervisor.default_timeout=0.3' });
    await at.paste('run true\rhalf a sen');

    await at.shows(/always, in this chat ›$/);
    await at.enter('y');

    expect(await at.shows(/\n› half a sen$/)).toContain('Allowed.');
  });

  test('commands work on processes by shortened names', async () => {
    await using at = await openChat();
    await at.enter('run echo begun; touch begun; sleep 600');
    await waitUntil(() => existsSync(at.project.file('begun')), { what: 'it has begun' });

    await at.enter('/background');
    await at.shows(/⇢ tool_\w+ continues in the background/);
    await at.enter('/processes');
    await at.shows(/ID +STATUS +KIND +PID +RUNTIME +COMMAND\n {2}tool_\w+ +backgrounded/);
    await at.enter('/output tool');
    await at.shows(/› \/output tool\n {2}│ begun/);
    await at.enter('/procss');
    await at.shows('Did you mean /process?');
    await at.enter('/kill t');
    await at.shows(/is gone after/);
    await at.enter('/quit');

    expect(await at.shows(ended)).toMatch(/exit code 0$/);
  });

  test('pasted lines are one message', async () => {
    await using at = await openChat();

    await at.paste('run echo a\rrun echo b\r');
    // Whichever of the two ends first.
    const screen = await at.shows(/^(?=[\s\S]*│ a)(?=[\s\S]*│ b)[\s\S]*\n›$/);

    expect(screen).toMatch(/^› run echo a\n {2}run echo b$/m);
  });

  test('a terminal that is closed ends the chat', async () => {
    await using at = await openChat();
    await at.enter('run sleep 600');
    await at.project.started();

    await at.closeWindow();

    await at.project.gone();
  });

  test('a chat can be gone on with', async () => {
    await using at = await openChat({ again: '--resume' });
    await at.enter('run echo remember');
    await at.shows('│ remember');

    await at.press('C-d');
    const screen = await at.shows(/Resuming a conversation of 1 message[\s\S]*\n›$/);

    expect(screen.match(/› run echo remember/g)).toHaveLength(2);
  });
});
