import { Command } from 'commander';
import { expect, test } from 'vitest';
import type { CaptureAnswer, ScreenCapture } from '../../../machines/process/terminal.ts';
import { toColouredLines } from '../../../src/cli/render/coloured-lines.ts';
import { parseTypingOrder, pressKeys } from '../../../src/cli/verbs/keys.ts';
import { resizeTerminal } from '../../../src/cli/verbs/resize.ts';
import { printScreen } from '../../../src/cli/verbs/screen.ts';
import { fakeIo } from '../fake-io.ts';
import { fakeStateDirectory } from '../fake-state-directory.ts';
import { endedView, processView } from '../process-views.ts';

const screen: ScreenCapture = {
  columns: 20,
  rows: 4,
  lines: ['red tea', '> ', '', ''],
  scrollback: ['earlier'],
  cursor: { column: 2, row: 1, isVisible: true },
  isAlternate: false,
  title: null,
  isLast: false,
};

const shown: CaptureAnswer = { ok: true, screen, drawing: null, offset: 40 };

function scene({ answer = shown }: { answer?: CaptureAnswer } = {}) {
  const fake = fakeIo();
  const state = fakeStateDirectory([
    { view: processView({ id: 'tool_a', label: 'repl' }), screen: answer },
    { view: endedView({ id: 'tool_over' }) },
  ]);
  return { ...fake, ...state };
}

test('screen omits trailing blank lines', async () => {
  const { io, open, orders, stdout } = scene();

  const code = await printScreen({ word: 'repl', flags: { scrollback: '10' }, io, open });

  expect(code).toBe(0);
  expect(stdout()).toBe('earlier\nred tea\n> \n');
  expect(orders[0]).toEqual({ capture: 'tool_a', scrollbackLines: 10, withDrawing: false });
});

test('screen --colour moves no cursor', async () => {
  const drawing = 'hidden\x1b[?1049h\x1b[H\x1b[31mred\x1b[0m\x1b[3Ctea\x1b]2;title\x07\r\n> \x1b[5A\x1b[?25h';
  const { io, open, stdout } = scene({ answer: { ...shown, drawing } as CaptureAnswer });

  await printScreen({ word: 'repl', flags: { colour: true }, io, open });

  expect(stdout()).toBe('earlier\n\x1b[31mred\x1b[0m   tea\x1b[0m\n> \n');
});

test.each([
  [
    'a line end',
    '\x1b[31mone\r\ntwo\x1b[39m\r\nthree',
    ['\x1b[31mone\x1b[0m', '\x1b[31mtwo\x1b[39m\x1b[0m', 'three'],
  ],
  ['a jump', '\x1b[1;38;5;9mone\x1b[2;1Htwo', ['\x1b[1;38;5;9mone\x1b[0m', '\x1b[1;38;5;9mtwo\x1b[0m']],
])('screen --colour continues a colour over %s', (_, drawing, lines) => {
  expect(toColouredLines(drawing)).toEqual(lines);
});

test('screen --json prints size and cursor', async () => {
  const { io, open, stdout } = scene();

  await printScreen({ word: 'repl', flags: { json: true }, io, open });

  expect(JSON.parse(stdout())).toEqual({ id: 'tool_a', ...screen });
});

test('screen fails for a process without a terminal', async () => {
  const { io, open, stderr } = scene();

  const code = await printScreen({ word: 'tool_over', flags: {}, io, open });

  expect(code).toBe(1);
  expect(stderr()).toContain('tool_over has no terminal');
});

test('keys types text and keys in order, then Enter', async () => {
  const { io, open, orders, stdout } = scene();
  const typed = [
    { type: 'text', text: '-n a; \\' },
    { type: 'keys', keys: ['Up', 'C-c'] },
  ] as const;

  const code = await pressKeys({ word: 'repl', typed, flags: { enter: true }, io, open });

  expect(code).toBe(0);
  expect(orders[0]).toMatchObject({
    sendKeys: 'tool_a',
    text: '-n a; \\',
    keys: ['Up', 'C-c'],
    pressEnter: true,
  });
  expect(stdout()).toBe('Typed in tool_a (repl): Up C-c.\n');
});

test('keys pastes stdin together with Enter', async () => {
  const { io, open, orders, endInput } = scene();
  endInput('one\ntwo\n');

  const given = [{ type: 'paste', text: '-' }] as const;
  await pressKeys({ word: 'repl', typed: given, flags: { enter: true }, io, open });

  const typed = { text: 'one\ntwo\n', paste: true, keys: [], pressEnter: true };
  expect(orders.slice(0, 1)).toEqual([{ sendKeys: 'tool_a', ...typed }]);
});

test.each([
  [[{ type: 'keys', keys: ['Entr'] }] as const, 'Did you mean "Enter"?'],
  [[], 'there is nothing to type'],
])('keys refuses %j before any request', (typed, problem) => {
  const { io, open, orders } = scene();

  expect(() => pressKeys({ word: 'repl', typed, flags: {}, io, open })).toThrow(problem);
  expect(orders).toEqual([]);
});

test('keys keeps the order of the command line', async () => {
  const { io, open, orders } = scene();
  const command = new Command('keys').option('--text <text>').option('--paste <text>');
  command.option('-q, --quiet').option('--state-dir <path>').option('--enter');
  const words = [
    '-q',
    '--state-dir',
    'x',
    'repl',
    'Escape',
    '--text',
    ':wq',
    'Enter',
    '--paste=a=b',
    '--enter',
  ];

  const typed = parseTypingOrder(words, command);
  await pressKeys({ word: 'repl', typed, flags: { enter: true }, io, open });

  expect(orders.slice(0, 3)).toEqual([
    { sendKeys: 'tool_a', text: '', paste: false, keys: ['Escape'], pressEnter: false },
    { sendKeys: 'tool_a', text: ':wq', paste: false, keys: ['Enter'], pressEnter: false },
    { sendKeys: 'tool_a', text: 'a=b', paste: true, keys: [], pressEnter: true },
  ]);
});

test('keys accepts a key after two dashes', () => {
  const command = new Command('keys').option('--text <text>');

  const typed = parseTypingOrder(['repl', '--', '--text', '-'], command);

  expect(typed.map((part) => 'keys' in part && part.keys)).toEqual([['--text'], ['-']]);
});

test('resize sets columns and rows', async () => {
  const { io, open, orders, stdout } = scene();

  const code = await resizeTerminal({ word: 'repl', size: '120x40', flags: {}, io, open });

  expect(code).toBe(0);
  expect(orders[0]).toEqual({ resize: 'tool_a', columns: 120, rows: 40 });
  expect(stdout()).toContain('120 columns and 40 rows');
});

test.each(['120', '1x40', '120x0', '1001x40', 'large', '80x24x2'])('resize refuses the size "%s"', (size) => {
  const { io, open } = scene();

  expect(() => resizeTerminal({ word: 'repl', size, flags: {}, io, open })).toThrow('such as 120x40');
});

test.each([
  ['one after another', 'one\r\n\x1b[1mtwo\x1b[0m', ['one', '\x1b[1mtwo\x1b[0m\x1b[0m']],
  ['each in its place', '\x1b[H\x1b[2J\x1b[1;1Hone\x1b[3;1Hthree\x1b[1;4H\x1b[?25h', ['one', '', 'three']],
])('screen --colour keeps the lines of a drawing: %s', (_name, drawing, lines) => {
  expect(toColouredLines(drawing)).toEqual(lines);
});
