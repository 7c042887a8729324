import type { KeyStroke, Modifiers, NamedKey } from '../../../machines/process/terminal.ts';

/** Modes of a program that change what the keyboard sends. */
export interface KeyboardModes {
  /** DECCKM: arrows, Home and End begin with `ESC O`. */
  readonly applicationCursor: boolean;
  /** Bracketed paste: pastes are marked. */
  readonly bracketedPaste: boolean;
}

/**
 * Encodes a stroke as xterm does: https://invisible-island.net/xterm/ctlseqs/ctlseqs.html, "PC-Style Function Keys". A modifier
 * without a code is ignored: Shift-Enter is Enter.
 */
export function encodeKeys(stroke: KeyStroke, modes: KeyboardModes): string {
  switch (stroke.type) {
    case 'text':
      return stroke.text;
    case 'character':
      return encodeCharacter(stroke);
    case 'key':
      return encodeNamed(stroke.key, { modifiers: stroke, modes });
  }
}

/**
 * Converts a pasted text to what is typed: line ends become Enter, and ESC is removed. With ESC it could contain the mark of the
 * paste's own end, and whether the program supports marks can change meanwhile.
 */
export function toPasted(text: string): string {
  return text.replaceAll('\x1b', '').replaceAll(/\r\n|\n/g, '\r');
}

/** Encodes a text in one piece, marked as a paste where the program supports that. */
export function encodePaste(text: string, { bracketedPaste }: KeyboardModes): string {
  const pasted = toPasted(text);
  return bracketedPaste ? `\x1b[200~${pasted}\x1b[201~` : pasted;
}

export function encodeCharacter({
  character,
  ctrl,
  alt,
  shift,
}: { readonly character: string } & Modifiers): string {
  const shifted = shift ? character.toUpperCase() : character;
  const sent = ctrl ? (controlCodeOf(character) ?? shifted) : shifted;
  return alt ? `\x1b${sent}` : sent;
}

function encodeNamed(
  key: NamedKey,
  { modifiers, modes }: { modifiers: Modifiers; modes: KeyboardModes },
): string {
  const simple = encodeSimple(key, modifiers);
  if (simple !== null) return modifiers.alt ? `\x1b${simple}` : simple;
  const modifier = 1 + Number(modifiers.shift) + 2 * Number(modifiers.alt) + 4 * Number(modifiers.ctrl);
  const letter = cursorLetters[key] ?? functionLetters[key];
  if (letter === undefined) return `\x1b[${numbers[key]}${modifier === 1 ? '' : `;${modifier}`}~`;
  if (modifier !== 1) return `\x1b[1;${modifier}${letter}`;
  return key in functionLetters || modes.applicationCursor ? `\x1bO${letter}` : `\x1b[${letter}`;
}

/** Encodes keys of one byte. */
function encodeSimple(key: NamedKey, { ctrl, shift }: Modifiers): string | null {
  switch (key) {
    case 'Enter':
      return '\r';
    case 'Tab':
      return shift ? '\x1b[Z' : '\t';
    case 'Escape':
      return '\x1b';
    case 'Space':
      return ctrl ? '\0' : ' ';
    case 'Backspace':
      return ctrl ? '\b' : '\x7f';
    default:
      return null;
  }
}

const cursorLetters: Partial<Record<NamedKey, string>> = {
  Up: 'A',
  Down: 'B',
  Right: 'C',
  Left: 'D',
  Home: 'H',
  End: 'F',
};

const functionLetters: Partial<Record<NamedKey, string>> = { F1: 'P', F2: 'Q', F3: 'R', F4: 'S' };

const numbers: Partial<Record<NamedKey, number>> = {
  Insert: 2,
  Delete: 3,
  PageUp: 5,
  PageDown: 6,
  F5: 15,
  F6: 17,
  F7: 18,
  F8: 19,
  F9: 20,
  F10: 21,
  F11: 23,
  F12: 24,
};

/** Returns the control code of a character, or `null` where a terminal has none. Digits as in xterm. */
export function controlCodeOf(character: string): string | null {
  const upper = (aliases.get(character) ?? character).toUpperCase();
  if (upper === '?') return '\x7f';
  return /^[@A-Z[\\\]^_]$/.test(upper) ? String.fromCharCode(upper.charCodeAt(0) & 0x1f) : null;
}

const aliases: ReadonlyMap<string, string> = new Map([
  [' ', '@'],
  ['2', '@'],
  ['3', '['],
  ['4', '\\'],
  ['5', ']'],
  ['6', '^'],
  ['7', '_'],
  ['/', '_'],
  ['8', '?'],
]);
