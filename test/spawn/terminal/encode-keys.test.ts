import { expect, test } from 'vitest';
import { encodeKeys, encodePaste, type KeyboardModes } from '../../../src/spawn/terminal/encode-keys.ts';
import { parseKeys } from '../../../src/spawn/terminal/parse-keys.ts';

const usual: KeyboardModes = { applicationCursor: false, bracketedPaste: false };

function sent(name: string, modes: KeyboardModes = usual): string {
  const parsed = parseKeys([name]);
  if (!parsed.ok) throw new Error(parsed.error);
  return parsed.strokes.map((stroke) => encodeKeys(stroke, modes)).join('');
}

test.each([
  ['Enter', '\r'],
  ['M-Enter', '\x1b\r'],
  ['S-Enter', '\r'],
  ['Tab', '\t'],
  ['S-Tab', '\x1b[Z'],
  ['Escape', '\x1b'],
  ['Space', ' '],
  ['C-Space', '\0'],
  ['Backspace', '\x7f'],
  ['C-Backspace', '\b'],
  ['M-Backspace', '\x1b\x7f'],
  ['Up', '\x1b[A'],
  ['C-Right', '\x1b[1;5C'],
  ['M-Left', '\x1b[1;3D'],
  ['C-M-S-Down', '\x1b[1;8B'],
  ['Home', '\x1b[H'],
  ['End', '\x1b[F'],
  ['S-Home', '\x1b[1;2H'],
  ['Insert', '\x1b[2~'],
  ['C-Delete', '\x1b[3;5~'],
  ['PageUp', '\x1b[5~'],
  ['PageDown', '\x1b[6~'],
  ['F1', '\x1bOP'],
  ['S-F1', '\x1b[1;2P'],
  ['F5', '\x1b[15~'],
  ['F2', '\x1bOQ'],
  ['F3', '\x1bOR'],
  ['F4', '\x1bOS'],
  ['F6', '\x1b[17~'],
  ['F7', '\x1b[18~'],
  ['F8', '\x1b[19~'],
  ['F9', '\x1b[20~'],
  ['F10', '\x1b[21~'],
  ['F11', '\x1b[23~'],
  ['F12', '\x1b[24~'],
  ['Delete', '\x1b[3~'],
  ['Down', '\x1b[B'],
  ['Right', '\x1b[C'],
  ['Left', '\x1b[D'],
  ['S-Up', '\x1b[1;2A'],
  ['C-Home', '\x1b[1;5H'],
  ['M-F1', '\x1b[1;3P'],
  ['M-Tab', '\x1b\t'],
  ['M-S-Tab', '\x1b\x1b[Z'],
  ['M-Escape', '\x1b\x1b'],
  ['C-Enter', '\r'],
  ['C-@', '\0'],
  ['C-2', '\0'],
  ['C-3', '\x1b'],
  ['C-4', '\x1c'],
  ['C-\\', '\x1c'],
  ['C-5', '\x1d'],
  ['C-]', '\x1d'],
  ['C-6', '\x1e'],
  ['C-^', '\x1e'],
  ['C-7', '\x1f'],
  ['C-/', '\x1f'],
  ['C-8', '\x7f'],
  ['C-S-a', '\x01'],
  ['S-é', 'É'],
  ['C-F12', '\x1b[24;5~'],
  ['a', 'a'],
  ['C-a', '\x01'],
  ['C-Z', '\x1a'],
  ['C-[', '\x1b'],
  ['C-?', '\x7f'],
  ['C-_', '\x1f'],
  ['M-X', '\x1bX'],
  ['S-x', 'X'],
  ['C-M-c', '\x1b\x03'],
])('key %s is sent as xterm sends it', (name, bytes) => {
  expect(sent(name)).toBe(bytes);
});

test('only cursor keys without modifiers follow the mode', () => {
  const modes = { ...usual, applicationCursor: true };

  const bytes = ['Up', 'Home', 'C-Up', 'PageUp', 'F1', 'Enter'].map((name) => sent(name, modes));

  expect(bytes).toEqual(['\x1bOA', '\x1bOH', '\x1b[1;5A', '\x1b[5~', '\x1bOP', '\r']);
});

test('text is sent literally', () => {
  const text = '-n  a; \\n Enter C-c \x1b[A é😀 ';

  expect(encodeKeys({ type: 'text', text }, { applicationCursor: true, bracketedPaste: true })).toBe(text);
});

test('a paste ends its lines as a keyboard does', () => {
  expect(encodePaste('a\nb\r\nc\rd', usual)).toBe('a\rb\rc\rd');
});

test('a marked paste cannot end its own mark', () => {
  const pasted = encodePaste('a\x1b[201~b', { ...usual, bracketedPaste: true });

  expect(pasted).toBe('\x1b[200~a[201~b\x1b[201~');
});
