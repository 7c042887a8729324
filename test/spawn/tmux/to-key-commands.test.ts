import { expect, test } from 'vitest';
import { parseKeys } from '../../../src/spawn/terminal/parse-keys.ts';
import { toPauseMs } from '../../../src/spawn/terminal/press-keys.ts';
import { toByteCommands, toKeyCommands, toProgram } from '../../../src/spawn/tmux/to-key-commands.ts';

test('a key after Escape is not taken for Alt', () => {
  const parsed = parseKeys(['Escape', 'C-[', 'C-3', 'a']);
  if (!parsed.ok) throw new Error(parsed.error);

  const { commands, lastsMs } = toKeyCommands(parsed.strokes, '=x:');

  const pausesMs = commands
    .filter(([verb]) => verb === 'run-shell')
    .map(([, , pause]) => Number(pause) * 1_000);
  expect(pausesMs.slice(0, 3).every((pauseMs) => pauseMs >= 150)).toBe(true);
  expect(pausesMs).toEqual(parsed.strokes.map(toPauseMs));
  expect(lastsMs).toBe(pausesMs.reduce((sum, pauseMs) => sum + pauseMs));
});

const leaveCopyMode = ['if-shell', '-F', '-t', '=x:', '#{pane_in_mode}', 'copy-mode -q -t =x:'];

test('typing begins with the program instead of copy mode', () => {
  expect(toProgram('=x:')).toEqual(leaveCopyMode);
  expect(toKeyCommands([], '=x:')).toEqual({ commands: [leaveCopyMode], lastsMs: 0 });
});

test('bytes are typed by number', () => {
  expect(toByteCommands(Uint8Array.of(0, 10, 255), '=x:')).toEqual([
    leaveCopyMode,
    ['send-keys', '-t', '=x:', '-H', '00', '0a', 'ff'],
  ]);
});

/** Words that tmux gets for one key. */
function wordsFor(name: string): string {
  const parsed = parseKeys([name]);
  if (!parsed.ok) throw new Error(parsed.error);
  const [, [, , , ...words] = [], pause] = toKeyCommands(parsed.strokes, '=x:').commands;
  expect(pause?.slice(0, 2)).toEqual(['run-shell', '-d']);
  return words.join(' ');
}

test.each([
  ...['Up', 'Down', 'Left', 'Right', 'Home', 'End', 'PageUp', 'PageDown'].map((name) => [name, name]),
  ...Array.from({ length: 12 }, (_, index) => [`F${index + 1}`, `F${index + 1}`]),
  ['Insert', 'IC'],
  ['Delete', 'DC'],
  ['C-Up', 'C-Up'],
  ['M-Up', 'M-Up'],
  ['S-Up', 'S-Up'],
  ['C-M-S-Delete', 'C-M-S-DC'],
  ['Enter', '-H 0d'],
  ['M-Enter', '-H 1b 0d'],
  ['Tab', '-H 09'],
  ['Escape', '-H 1b'],
  ['Space', '-H 20'],
  ['Backspace', '-H 7f'],
  ['a', '-H 61'],
  ['C-c', '-H 03'],
  ['é', '-H c3 a9'],
])('tmux presses %s as %s', (name, words) => {
  expect(wordsFor(`${name}`)).toBe(words);
});

test.each([
  ['text', ['-l', '--', 'text']],
  ['-l', ['-l', '--', '-l']],
  ['a\0b', ['-H', '61', '00', '62']],
])('tmux types the text %j', (text, words) => {
  const { commands } = toKeyCommands([{ type: 'text', text }], '=x:');

  expect(commands.slice(1)).toEqual([
    ['send-keys', '-t', '=x:', ...words],
    ['run-shell', '-d', '0.01'],
  ]);
});
