import { createHash } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { BackendCommand, WriteResult } from '../../machines/process/events.ts';
import type {
  CaptureAnswer,
  KeyStroke,
  Paste,
  ScreenCapture,
  TerminalSize,
} from '../../machines/process/terminal.ts';
import { createRealClock } from '../../src/clock/real-clock.ts';
import type { OutputLog } from '../../src/output/output-log.ts';
import type { SpawnRequest, ToldFact, Work } from '../../src/spawn/backend.ts';
import { parseKeys } from '../../src/spawn/terminal/parse-keys.ts';
import { isInstalled } from '../support/installed.ts';
import { endBy } from '../support/orders.ts';
import { waitUntil } from '../support/os.ts';
import { createMemoryLog } from '../support/output-logs.ts';
import type { BackendUnderTest } from './backend-conformance.ts';

/** Abilities of a terminal backend's test. The suite itself brings the programs. */
export type TerminalUnderTest = Omit<BackendUnderTest, 'work'>;

/** One run in a terminal. */
interface Stage {
  readonly facts: readonly ToldFact[];
  readonly log: OutputLog;
  readonly request: SpawnRequest;
  /** Screens that were kept, oldest first, each with the number of facts reported before. */
  readonly kept: readonly { readonly screen: ScreenCapture; readonly facts: number }[];
  send(command: BackendCommand): void;
  fact<T extends ToldFact['type']>(type: T): Promise<Extract<ToldFact, { type: T }>>;
  capture(options?: { scrollbackLines?: number; withDrawing?: boolean }): Promise<CaptureAnswer>;
  /** Resolves with the screen once the condition holds. */
  screen(condition: (screen: ScreenCapture) => boolean, what: string): Promise<ScreenCapture>;
  /** Resolves with the screen once it shows the text. */
  shows(text: string): Promise<ScreenCapture>;
  type(text: string): Promise<WriteResult>;
  press(...names: string[]): Promise<WriteResult>;
  paste(text: string): Promise<WriteResult>;
  /** Sends strokes in one command. */
  pasteAndPress(text: string, ...names: string[]): Promise<WriteResult>;
  resize(size: TerminalSize): Promise<WriteResult>;
}

const shell = (script: string): Work => ({ type: 'shell', shell: '/bin/sh', script });

/** Prints the typed bytes, as `od -c` writes them, until `count` have come. */
const dump = (count: number, setUp = '') =>
  shell(
    `stty raw -echo; printf '${setUp}ready'; head -c ${count} | od -An -c | tr -s ' ' | tr -d '\\n'; printf ' end'; sleep 300`,
  );

/** Bytes of xterm for each kind of key; a modifier without a code is ignored. */
const keyBytes = {
  ...{ Enter: '\r', 'S-Enter': '\r', 'C-Enter': '\r', 'M-Enter': '\x1b\r' },
  ...{ Tab: '\t', 'C-Tab': '\t', 'S-Tab': '\x1b[Z', 'C-Escape': '\x1b' },
  ...{ Space: ' ', 'S-Space': ' ', 'C-Space': '\0' },
  ...{ Backspace: '\x7f', 'S-Backspace': '\x7f', 'C-Backspace': '\b', 'M-Backspace': '\x1b\x7f' },
  ...{
    Up: '\x1b[A',
    Left: '\x1b[D',
    'C-Right': '\x1b[1;5C',
    'M-Left': '\x1b[1;3D',
    'C-M-S-Down': '\x1b[1;8B',
  },
  ...{ 'S-Home': '\x1b[1;2H', Insert: '\x1b[2~', 'C-Delete': '\x1b[3;5~' },
  ...{ Delete: '\x1b[3~', PageUp: '\x1b[5~', PageDown: '\x1b[6~' },
  ...{ F1: '\x1bOP', 'S-F1': '\x1b[1;2P', F5: '\x1b[15~', F12: '\x1b[24~', 'C-F12': '\x1b[24;5~' },
  ...{ a: 'a', 'C-a': '\x01', 'C-Z': '\x1a', 'C-?': '\x7f', 'C-_': '\x1f', 'M-X': '\x1bX' },
  ...{ 'S-x': 'X', 'C-M-c': '\x1b\x03' },
};

/** Tests what the contract says of backends with terminals. */
export function describeTerminal(
  name: string,
  setup: () => Promise<TerminalUnderTest> | TerminalUnderTest,
): void {
  describe(`the terminals of the ${name} backend`, () => {
    test('a command sees its own terminal', async () => {
      const { play } = await arrange(setup);

      const stage = play(
        shell('test -t 0 && test -t 1 && test -t 2 && echo all; stty size; echo "<$TERM>"; sleep 300'),
        { columns: 91, rows: 17 },
      );
      const { lines } = await stage.shows('>');

      expect(lines.slice(0, 2)).toEqual(['all', '17 91']);
      expect(lines[2]).toMatch(/^<(xterm|tmux|screen)-256color>$/);
    });

    test('a capture shows what a person sees', async () => {
      const { play } = await arrange(setup);

      const stage = play(shell(`printf 'one\\ntwo\\033[1;8Hthere\\033[31m  \\n'; sleep 300`));
      // A terminal splits output into pieces: the end of the line comes later.
      const { lines, cursor, columns, rows, isAlternate, isLast } = await stage.screen(
        ({ lines, cursor }) => lines[0]?.includes('there') === true && cursor.row === 1,
        'there, and the end of its line',
      );

      expect(lines).toEqual(['one    there', 'two', ...Array(22).fill('')]);
      expect({ columns, rows, isAlternate, isLast }).toEqual({
        columns: 80,
        rows: 24,
        isAlternate: false,
        isLast: false,
      });
      expect(cursor).toEqual({ column: 0, row: 1, isVisible: true });
    });

    test('a capture keeps wide characters whole', async () => {
      const { play } = await arrange(setup);

      const stage = play(
        shell(
          `printf '\\360\\237'; sleep 0.2; printf '\\230\\200|\\346\\274'; sleep 0.2; printf '\\242|e\\314\\201|'; sleep 300`,
        ),
      );
      const { lines, cursor } = await stage.screen(
        ({ lines }) => lines[0]?.endsWith('|e\u0301|') === true,
        'all is there',
      );

      expect(lines[0]).toBe('😀|漢|e\u0301|');
      expect(cursor.column).toBe(8);
    });

    test('a capture shows line drawing as lines', async () => {
      const { play } = await arrange(setup);
      const box = String.raw`printf '\033(0lqk\033(B lqk\r\n\033(0x \033(Bx\033(0 x\r\nmqj\033(B\r\nend'`;

      const running = play(shell(`${box}; sleep 300`));
      const { lines } = await running.screen(({ lines }) => lines[3] === 'end', 'the end of the box');
      const ended = play(shell(box));
      await ended.fact('output.ended');

      const shown = ['┌─┐ lqk', '│ x │', '└─┘', 'end'];
      expect(lines.slice(0, 4)).toEqual(shown);
      expect(ended.kept.at(-1)?.screen.lines.slice(0, 4)).toEqual(shown);
    });

    test('a capture names highlights', async () => {
      const { play } = await arrange(setup);
      const entries = [
        'first entry',
        '\\033[7mchosen entry  \\033[0m',
        'third entry',
        'and \\033[97;41m[ OK ]\\033[m.',
      ];

      const stage = play(shell(`printf '${entries.join('\\n')}'; sleep 300`));
      const { highlights } = await stage.screen(({ lines }) => lines[3] === 'and [ OK ].', 'the last entry');

      expect(highlights).toEqual([
        { row: 1, text: 'chosen entry' },
        { row: 3, text: '[ OK ]' },
      ]);
    });

    test('the background of a whole window is no highlight', async () => {
      const { play } = await arrange(setup);
      const window = ['\\033[44m\\033[2Ja title\\n', 'much text in a window', '\\n\\033[41mNo\\033[44m\\n'];

      const stage = play(shell(`printf '${window.join('')}'; sleep 300`));
      const { highlights } = await stage.screen(({ lines }) => lines.includes('No'), 'the button');

      expect(highlights?.map(({ text }) => text)).toEqual(['No']);
    });

    test('a capture includes scrollback if asked for', async () => {
      const { play } = await arrange(setup);

      const stage = play(shell('seq 1 60; sleep 300'), { columns: 40, rows: 10 });
      const { lines } = await stage.screen(
        ({ lines }) => lines.at(-2) === '60',
        '60, and the end of its line',
      );
      const [some, all] = [
        await stage.capture({ scrollbackLines: 5 }),
        await stage.capture({ scrollbackLines: 500 }),
      ];

      expect(lines).toEqual(['52', '53', '54', '55', '56', '57', '58', '59', '60', '']);
      if (!some.ok || !all.ok) throw new Error('there is no capture');
      expect(some.screen.scrollback).toEqual(['47', '48', '49', '50', '51']);
      expect(all.screen.scrollback).toEqual(Array.from({ length: 51 }, (_, index) => `${index + 1}`));
    });

    test('a capture includes a drawing only if asked for', async () => {
      const { play } = await arrange(setup);
      const stage = play(shell(`printf '\\033[1;31mred\\033[0m'; sleep 300`));
      await stage.shows('red');

      const [without, drawn] = [await stage.capture(), await stage.capture({ withDrawing: true })];

      expect(without.ok && without.drawing).toBe(null);
      expect(drawn.ok && drawn.drawing).toMatch(/\x1b\[[0-9;]*31[0-9;]*m.*red/s);
    });

    test('the offset counts the output on the screen', async () => {
      const { play } = await arrange(setup);
      const stage = play(shell(`printf 'abc\\ndef'; sleep 300`));
      await stage.shows('def');

      await stage.screen(() => true, 'a screen');
      const answer = await waitUntil(async () => {
        const found = await stage.capture();
        return found.ok && found.offset === 8 ? found : null;
      });

      expect(answer.screen.lines.slice(0, 2)).toEqual(['abc', 'def']);
    });

    test('a full-screen program restores the screen', async () => {
      const { play } = await arrange(setup);

      const stage = play(
        shell(
          `echo before; printf '\\033[?1049h\\033[H\\033[?25lwithin'; read -r _; printf '\\033[?25h\\033[?1049l'; echo after; sleep 300`,
        ),
      );
      const within = await stage.shows('within');
      await stage.press('Enter');
      const after = await stage.shows('after');

      expect(within.isAlternate).toBe(true);
      expect(within.cursor.isVisible).toBe(false);
      expect(within.lines.join()).not.toContain('before');
      expect(after.isAlternate).toBe(false);
      expect(after.cursor.isVisible).toBe(true);
      expect(after.lines.slice(0, 2)).toEqual(['before', 'after']);
    });

    test('a program can set its title', async () => {
      const { play } = await arrange(setup);

      const stage = play(shell(`echo up; read -r _; printf '\\033]2;the title\\007named'; sleep 300`));
      const { title: before } = await stage.shows('up');
      await stage.press('Enter');
      const { title } = await stage.shows('named');

      expect(before).toBe(null);
      expect(title).toBe('the title');
    });

    test('a resize is reported to the program', async () => {
      const { play } = await arrange(setup);
      const stage = play(shell(`trap 'stty size' WINCH; echo up; while :; do sleep 0.1; done`));
      await stage.shows('up');

      const resized = await stage.resize({ columns: 101, rows: 31 });
      const screen = await stage.shows('31 101');

      expect(resized.ok).toBe(true);
      expect([screen.columns, screen.rows, screen.lines.length]).toEqual([101, 31, 31]);
    });

    test('text is typed literally', async () => {
      const { play } = await arrange(setup);
      const text = `-n  Enter C-c "$HOME" \\n \`x\` #{pid} 'é😀' ~ ;`;
      const stage = play(shell(`stty -echo; echo up; IFS= read -r line; printf '<%s>' "$line"; sleep 300`));
      await stage.shows('up');

      const typed = await stage.type(text);
      await stage.press('Enter');
      const { lines } = await stage.shows('>');

      expect(typed).toMatchObject({ ok: true });
      expect(lines[1]).toBe(`<${text}>`);
    });

    test('keys arrive as xterm sends them', async () => {
      const { play } = await arrange(setup);
      const bytes = Object.values(keyBytes).join('');
      const stage = play(
        shell(
          `stty raw -echo; printf ready; head -c ${bytes.length} | od -An -tx1 | tr -d ' \\n'; printf ' end'; sleep 300`,
        ),
        { columns: 400 },
      );
      await stage.shows('ready');

      const pressed = await stage.press(...Object.keys(keyBytes));
      const { lines } = await stage.shows('end');

      expect(pressed).toMatchObject({ ok: true });
      expect(lines[0]).toBe(`ready${Buffer.from(bytes).toString('hex')} end`);
    });

    test('application cursor mode is honoured', async () => {
      const { play } = await arrange(setup);
      const stage = play(dump(6, '\\033[?1h'));
      await stage.shows('ready');

      await stage.press('Up', 'Right');
      const { lines } = await stage.shows('end');

      expect(lines[0]).toBe('ready 033 O A 033 O C end');
    });

    test('Control-C interrupts a program', async () => {
      const { play } = await arrange(setup);
      const stage = play(shell(`trap 'echo stopped; exit 5' INT; echo up; while :; do sleep 1; done`));
      await stage.shows('up');

      await stage.press('C-c');

      expect((await stage.fact('process.exited')).exit).toEqual({ code: 5, signal: null });
    });

    test('a paste is marked if the program supports that', async () => {
      const { play } = await arrange(setup);
      const stage = play(dump(15, '\\033[?2004h'));
      await stage.shows('ready');

      const pasted = await stage.paste('a\nb');
      const { lines } = await stage.shows('end');

      expect(pasted.ok).toBe(true);
      expect(lines[0]).toBe('ready 033 [ 2 0 0 ~ a \\r b 033 [ 2 0 1 ~ end');
    });

    test('a paste is plain if the program does not support marks', async () => {
      const { play } = await arrange(setup);
      const stage = play(dump(3));
      await stage.shows('ready');

      await stage.paste('a\nb');
      const { lines } = await stage.shows('end');

      expect(lines[0]).toBe('ready a \\r b end');
    });

    test('a plain paste has no ESC and counts its bytes', async () => {
      const { play } = await arrange(setup);
      const stage = play(dump(4));
      await stage.shows('ready');

      const pasted = await stage.paste('a\x1b\r\nbc');
      const { lines } = await stage.shows('end');

      expect(pasted).toEqual({ ok: true, bytesWritten: 4 });
      expect(lines[0]).toBe('ready a \\r b c end');
    });

    test('a paste cannot end itself early', async () => {
      const { play } = await arrange(setup);
      const stage = play(dump(19, '\\033[?2004h'));
      await stage.shows('ready');

      await stage.paste('a\x1b[201~b');
      const { lines } = await stage.shows('end');

      expect(lines[0]).toBe('ready 033 [ 2 0 0 ~ a [ 2 0 1 ~ b 033 [ 2 0 1 ~ end');
    });

    test('no input comes between a paste and its Enter', async () => {
      const { play } = await arrange(setup);
      const stage = play(dump(6));
      await stage.shows('ready');

      const results = await Promise.all([
        stage.pasteAndPress('ab', 'Enter'),
        stage.type('x'),
        stage.type('yz'),
      ]);
      const { lines } = await stage.shows('end');

      expect(results.map(({ bytesWritten }) => bytesWritten)).toEqual([3, 1, 2]);
      expect(lines[0]).toBe('ready a b \\r x y z end');
    });

    test('a long paste arrives whole', async () => {
      const { play } = await arrange(setup);
      const text = Array.from({ length: 4_000 }, (_, index) => `line ${index} — é; \\n 'x'`).join('\n');
      const bytes = Buffer.from(text.replaceAll('\n', '\r'));
      const stage = play(
        shell(`stty raw -echo; printf ready; head -c ${bytes.length} | md5sum; printf ' end'; sleep 300`),
      );
      await stage.shows('ready');

      const pasted = await stage.paste(text);
      const { lines } = await stage.shows('end');

      expect(pasted).toMatchObject({ ok: true });
      expect(lines[0]).toContain(createHash('md5').update(bytes).digest('hex'));
    });

    test('bash does not run a paste line by line', async (context) => {
      if (!isInstalled('bash')) context.skip();
      const { play } = await arrange(setup);
      const stage = play(
        { type: 'argv', file: 'bash', args: ['--norc', '-i'] },
        { env: { PS1: 'prompt> ', HISTFILE: '/dev/null' } },
      );
      await stage.shows('prompt>');

      await stage.paste('echo 1$((1))one\necho 2$((2))two');
      const before = await stage.shows('two');
      await stage.press('Enter');
      await stage.shows('22two');

      expect(before.lines.join('\n')).not.toContain('11one');
      await stage.shows('11one');
    });

    test('vim is controlled by keys', async (context) => {
      if (!isInstalled('vim')) context.skip();
      const { play } = await arrange(setup);
      const stage = play({ type: 'argv', file: 'vim', args: ['--clean', '-n'] });
      await stage.screen(({ lines }) => lines.at(-2) === '~' && lines[1] === '~', 'vim is there');

      await stage.type('ihello world');
      await stage.screen(({ lines }) => lines.at(-1)?.includes('INSERT') === true, 'it inserts');
      await stage.press('Escape');
      // Read together with Escape, as by a vim without a processor in between, these would be an arrow.
      await stage.screen(({ lines }) => lines.at(-1)?.includes('INSERT') === false, 'it has read Escape');
      await stage.type('OAbove');
      await stage.press('Escape', 'Down', 'Home', 'x');
      const { lines, isAlternate } = await stage.screen(
        ({ lines }) => lines[1] === 'ello world',
        'x has cut',
      );
      await stage.press('Escape');
      await stage.type(':q!');
      await stage.press('Enter');

      expect(isAlternate).toBe(true);
      expect((await stage.fact('process.exited')).exit).toEqual({ code: 0, signal: null });
      expect(lines.slice(0, 3)).toEqual(['Above', 'ello world', '~']);
    });

    test('less is scrolled with arrows and pages', async (context) => {
      if (!isInstalled('less')) context.skip();
      const { play } = await arrange(setup);
      const stage = play(shell('seq 1 200 | less'), { columns: 40, rows: 11 });
      await stage.screen(({ lines }) => lines[0] === '1' && lines[9] === '10', 'the first page is there');

      await stage.press('Down', 'Down');
      await stage.screen(({ lines }) => lines[0] === '3', 'it has gone two lines down');
      await stage.press('PageDown', 'Up');
      await stage.screen(({ lines }) => lines[0] === '12', 'it has gone a page down, and a line up');
      await stage.type('q');

      expect((await stage.fact('process.exited')).exit.code).toBe(0);
    });

    test('top draws until it is quit', async (context) => {
      if (!isInstalled('top', 'procps')) context.skip();
      const { play } = await arrange(setup);
      const stage = play({ type: 'argv', file: 'top', args: ['-d', '1'] });

      const { lines } = await stage.screen(
        ({ lines }) => /PID +USER/.test(lines.join('\n')),
        'its table is there',
      );
      await stage.type('q');

      expect(lines[0]).toMatch(/^top - /);
      expect((await stage.fact('process.exited')).exit.code).toBe(0);
    });

    test('the last screen is kept', async () => {
      const { play } = await arrange(setup);

      const stage = play(shell(`echo before; printf 'no newline'; exit 3`));
      const { exit } = await stage.fact('process.exited');
      await stage.fact('output.ended');

      expect(exit).toEqual({ code: 3, signal: null });
      const last = stage.kept.at(-1);
      expect(last?.screen.lines.slice(0, 2)).toEqual(['before', 'no newline']);
      expect(last?.screen).toMatchObject({ isLast: true, columns: 80, rows: 24 });
      const endedAt = stage.facts.findIndex(({ type }) => type === 'output.ended');
      expect(last?.facts).toBeLessThanOrEqual(endedAt);
    });

    test('every byte is in the log', async () => {
      const { play } = await arrange(setup);

      const stage = play(shell(`seq 1 5000; printf 'the end'`));
      await stage.fact('output.ended');

      const numbers = Array.from({ length: 5_000 }, (_, index) => `${index + 1}\r\n`);
      expect(textOf(stage.log)).toBe(`${numbers.join('')}the end`);
    });

    test('commands after the end are answered', async () => {
      const { play } = await arrange(setup);
      const stage = play(shell('echo done'));
      await stage.fact('process.exited');
      await stage.fact('output.ended');

      const answers = [
        await stage.resize({ columns: 90, rows: 20 }),
        await stage.type('x'),
        await stage.press('Enter'),
        await stage.paste('x'),
        await new Promise<WriteResult>((reply) =>
          stage.send({ type: 'process.write', data: Buffer.from('x'), reply }),
        ),
        await new Promise<WriteResult>((reply) => stage.send({ type: 'process.endInput', reply })),
      ];
      const captured = await stage.capture();

      for (const answer of answers) {
        expect(answer).toMatchObject({ ok: false, bytesWritten: 0 });
        expect('error' in answer && answer.error).toMatch(/\w.*\.$/);
      }
      expect(captured.ok ? captured.screen.isLast : captured.error).toBeTruthy();
    });

    test('a signal ends all processes of the terminal', async () => {
      const { play, isGone } = await arrange(setup);
      const stage = play(shell('trap "" HUP; sleep 300 & sleep 301 & echo up; wait'));
      await stage.shows('up');

      stage.send(endBy('SIGKILL'));
      await stage.fact('tree.gone');

      expect(isGone(stage.request)).toBe(true);
      expect((await stage.fact('process.exited')).exit).toEqual({ code: null, signal: 'SIGKILL' });
      await stage.fact('output.ended');
    });

    test('a resize does not wait for a reader', async () => {
      const { play } = await arrange(setup);
      const stage = play(shell('stty raw -echo; printf ready; sleep 300'));
      await stage.shows('ready');
      let isHeld = true;

      const typed = stage.type('x'.repeat(100_000)).finally(() => {
        isHeld = false;
      });
      const resized = await stage.resize({ columns: 100, rows: 30 });
      const wasHeld = isHeld;
      const { columns, rows } = await stage.screen((screen) => screen.columns === 100, 'it is wider');
      stage.send(endBy('SIGKILL'));
      await typed;

      expect(resized).toEqual({ ok: true, bytesWritten: 0 });
      expect(wasHeld).toBe(true);
      expect({ columns, rows }).toEqual({ columns: 100, rows: 30 });
    });

    test('input typed before the program reads is not lost', async () => {
      const { play } = await arrange(setup);
      const stage = play(
        shell(`stty -echo; echo up; sleep 0.3; IFS= read -r line; echo "<$line>"; sleep 300`),
      );
      await stage.shows('up');

      await stage.type('early');
      await stage.press('Enter');

      expect((await stage.shows('>')).lines[1]).toBe('<early>');
    });
  });
}

/** Runs terminals without a supervisor. */
async function arrange(setup: () => Promise<TerminalUnderTest> | TerminalUnderTest) {
  const underTest = await setup();
  onTestFinished(() => underTest.end());
  const clock = createRealClock();

  const play = (
    work: Work,
    options: Partial<TerminalSize> & { env?: Record<string, string> } = {},
  ): Stage => {
    const { columns = 80, rows = 24, env = {} } = options;
    const id = `tool_terminal_${Math.random().toString(36).slice(2, 10)}`;
    const files = underTest.durable?.files(id) ?? null;
    const request: SpawnRequest = {
      id,
      attempt: 1,
      work,
      cwd: '/',
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: '/nonexistent',
        // Widths of characters match ours only where programs know UTF-8.
        LC_ALL: 'C.UTF-8',
        TROUPE_LINEAGE: `/sup_terminal/${id}/`,
        ...env,
      },
      stdin: 'pipe',
      files,
      outlives: false,
      terminal: { columns, rows },
      limits: null,
      secrets: [],
    };
    const log =
      files === null || underTest.durable === undefined
        ? createMemoryLog({ clock, maxBufferBytes: 1024 * 1024, headBytes: 1024 })
        : underTest.durable.openLog(files, clock);
    onTestFinished(() => log.close());
    const facts: ToldFact[] = [];
    const kept: { screen: ScreenCapture; facts: number }[] = [];
    let listener: (command: BackendCommand) => void = () => {
      throw new Error('the backend listens to no commands');
    };
    const cancel = underTest.backend.run({
      request,
      output: log,
      clock,
      keepScreen: (screen) => kept.push({ screen, facts: facts.length }),
      tell: (fact) => facts.push(fact),
      onCommand: (given) => {
        listener = given;
      },
    });
    onTestFinished(() => cancel());
    const send = (command: BackendCommand) => listener(command);
    const ask = <Answer>(toCommand: (reply: (answer: Answer) => void) => BackendCommand) =>
      new Promise<Answer>((resolve) => send(toCommand(resolve)));
    const capture: Stage['capture'] = ({ scrollbackLines = 0, withDrawing = false } = {}) =>
      ask((reply) => ({ type: 'terminal.capture', scrollbackLines, withDrawing, reply }));
    const screen: Stage['screen'] = async (condition, what) => {
      let last: CaptureAnswer | null = null;
      try {
        return await waitUntil(async () => {
          last = await capture();
          return last.ok && condition(last.screen) ? last.screen : null;
        });
      } catch {
        throw new Error(`never on the screen: ${what}; it was ${JSON.stringify(last, null, 1)}`);
      }
    };
    const sendKeys = (strokes: readonly (KeyStroke | Paste)[]) =>
      ask<WriteResult>((reply) => ({ type: 'terminal.sendKeys', strokes, reply }));
    return {
      facts,
      log,
      request,
      kept,
      send,
      fact: <T extends ToldFact['type']>(type: T) =>
        waitUntil(() => facts.find((fact): fact is Extract<ToldFact, { type: T }> => fact.type === type), {
          what: `${type} is reported; reported were ${facts.map((fact) => fact.type).join(', ')}`,
        }) as Promise<Extract<ToldFact, { type: T }>>,
      capture,
      screen,
      shows: (text) => screen(({ lines }) => lines.some((line) => line.includes(text)), text),
      type: (text) => sendKeys([{ type: 'text', text }]),
      press: (...names) => sendKeys(strokesOf(names)),
      paste: (text) => sendKeys([{ type: 'paste', text }]),
      pasteAndPress: (text, ...names) => sendKeys([{ type: 'paste', text }, ...strokesOf(names)]),
      resize: (size) => ask((reply) => ({ type: 'process.resize', ...size, reply })),
    };
  };
  return { ...underTest, play };
}

function strokesOf(names: readonly string[]): readonly KeyStroke[] {
  const parsed = parseKeys(names);
  if (!parsed.ok) throw new Error(parsed.error);
  return parsed.strokes;
}

function textOf(log: OutputLog): string {
  const pieces = [...log.chunks(0)];
  return Buffer.concat(pieces.flatMap((piece) => (piece.type === 'chunk' ? [piece.bytes] : []))).toString();
}
