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
  ['F12', '\x1b[24~'],
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
