import { describe, expect, test } from 'vitest';
import { readScreen, toCaptureCommands } from '../../../src/spawn/tmux/capture-screen.ts';

const plain = { scrollbackLines: 0, withDrawing: false };

/** Answer of tmux with these facts, two rows of screen and this scrollback. */
function toAnswer({
  head = '2 3 0 00',
  screen = 'screen 20 2 4 1 1 0 title of it',
  rows = ['one', 'two  '],
  past = [] as readonly string[],
}): string {
  return [head, screen, ...rows, ...past, ''].join('\n');
}

test('all parts of a capture are asked for in one call', () => {
  const format =
    'screen #{pane_width} #{pane_height} #{cursor_x} #{cursor_y} #{cursor_flag} #{alternate_on} #{pane_title}';
  const facts = '#{pane_height} #{history_size} #{pane_dead} #{keypad_cursor_flag}#{keypad_flag}';
  const screen = [
    ['display-message', '-p', '-t', '=tool_a:', facts],
    ['display-message', '-p', '-t', '=tool_a:', format],
    ['capture-pane', '-p', '-e', '-t', '=tool_a:'],
  ];

  expect(toCaptureCommands('tool_a', plain)).toEqual(screen);
  expect(toCaptureCommands('tool_a', { ...plain, scrollbackLines: 1 })).toEqual([
    ...screen,
    ['capture-pane', '-p', '-e', '-t', '=tool_a:', '-S', '-1', '-E', '-1'],
  ]);
});

test('an answer of tmux is the screen', () => {
  expect(readScreen(toAnswer({}), plain)).toEqual({
    screen: {
      ...{ columns: 20, rows: 2, lines: ['one', 'two'], scrollback: [], title: 'title of it' },
      ...{ cursor: { column: 4, row: 1, isVisible: true }, isAlternate: false, isLast: false },
    },
    drawing: null,
  });
});

test.each([
  ['2 3 0 00', false],
  ['2 3 1 00', true],
  ['2 3  ', false],
])('the screen of a dead terminal is the last one: "%s"', (head, isLast) => {
  expect(readScreen(toAnswer({ head }), plain)?.screen.isLast).toBe(isLast);
});

test.each([
  [0, 3, []],
  [1, 3, ['p1']],
  [3, 3, ['p1', '  p2', '']],
  // Where the history is shorter, what follows the screen is its end.
  [9, 2, ['p1', '  p2']],
])(
  '%i lines of scrollback out of %i are kept, without blanks at their ends',
  (lines, history, scrollback) => {
    const answer = toAnswer({ head: `2 ${history} 0 00`, past: ['p1', '  p2 ', '  '].slice(0, history) });

    expect(readScreen(answer, { ...plain, scrollbackLines: lines })?.screen.scrollback).toEqual(scrollback);
  },
);

test.each([
  ['', ''],
  ['no facts', '2 3 0'],
  ['no rows', '0 3 0 00'],
  ['words', 'x 3 0 00'],
  ['a fact too many', '2 3 0 00 1'],
  ['a fact before', ' 2 3 0 00'],
])('an answer with %s is none', (_, head) => {
  expect(readScreen(toAnswer({ head }), plain)).toBeNull();
});

test('an answer without a screen is none', () => {
  expect(readScreen(toAnswer({ screen: 'x' }), plain)).toBeNull();
});

describe('a drawing', () => {
  const draw = (answer: Parameters<typeof toAnswer>[0]) =>
    readScreen(toAnswer(answer), { ...plain, withDrawing: true })?.drawing;
  const rows = '\x1b[0m\x1b[H\x1b[2J\x1b[1;1Hone\x1b[2;1Htwo  \x1b[0m';

  test('is the rows with their colours and the cursor', () => {
    expect(draw({})).toBe(`${rows}\x1b[2;5H\x1b[?25h`);
    expect(draw({ rows: ['\x1b[31mred\x0eq\x0f', ''] })).toBe(
      '\x1b[0m\x1b[H\x1b[2J\x1b[1;1H\x1b[31mred─\x1b[0m\x1b[2;5H\x1b[?25h',
    );
  });

  test.each([
    ['2 3 0 10', '\x1b[?1h'],
    ['2 3 0 01', '\x1b='],
    ['2 3 0 11', '\x1b[?1h\x1b='],
    ['2 3 0 ', ''],
  ])('sets the modes of the keyboard: "%s"', (head, modes) => {
    expect(draw({ head })).toBe(`${rows}${modes}\x1b[2;5H\x1b[?25h`);
  });

  test('switches to the other screen first, and hides the cursor last', () => {
    expect(draw({ screen: 'screen 20 2 4 1 0 1 x' })).toBe(`\x1b[?1049h${rows}\x1b[2;5H\x1b[?25l`);
  });
});
