import type { KeyStroke, Modifiers, NamedKey } from '../../../machines/process/terminal.ts';
import { nearest } from '../../config/nearest.ts';
import { shorten } from '../../config/quote.ts';
import { controlCodeOf } from './encode-keys.ts';

type Parsed =
  | { readonly ok: true; readonly strokes: readonly KeyStroke[] }
  | { readonly ok: false; readonly error: string };

const maxKeys = 1_000;

/**
 * Parses names of keys: `Enter`, `C-c`, `M-x`, `S-Up`, `F5`, and other spellings: `Ctrl+C`, `^C`, `PgUp`, `BSpace`. A single
 * character is its own key, and only there case matters.
 */
export function parseKeys(names: readonly string[]): Parsed {
  if (names.length > maxKeys) {
    return { ok: false, error: `"keys" has ${names.length} keys; at most ${maxKeys} are accepted at once.` };
  }
  const strokes: KeyStroke[] = [];
  for (const name of names) {
    const stroke = parseKey(name);
    if (typeof stroke === 'string') return { ok: false, error: stroke };
    strokes.push(stroke);
  }
  return { ok: true, strokes };
}

/** Tells whether a name is neither a key nor a misspelled one. */
export function isPlainText(name: string): boolean {
  const { rest, modifiers } = readModifiers(name);
  const isBare = !modifiers.ctrl && !modifiers.alt && !modifiers.shift;
  return (
    isBare && [...rest].length > 1 && typeof parseKey(name) === 'string' && nearest(rest, allNames) === null
  );
}

/** Parses one name. A string is the error. */
function parseKey(name: string): KeyStroke | string {
  const { rest, modifiers } = readModifiers(name);
  if (/^btab$/i.test(rest)) return { type: 'key', key: 'Tab', ...modifiers, shift: true };
  const key = keysByName.get(rest.toLowerCase());
  if (key !== undefined) return { type: 'key', key, ...modifiers };
  if ([...rest].length !== 1 || /\p{Cc}/u.test(rest)) return unknownKey(name);
  if (modifiers.ctrl && controlCodeOf(rest) === null) {
    return `There is no key ${JSON.stringify(name)}: a terminal knows Ctrl only with letters, Space, and one of @ [ \\ ] ^ _ ? /.`;
  }
  return { type: 'character', character: rest, ...modifiers };
}

const modifierPrefix = /^(?:(c|ctrl|control)|(m|a|alt|meta|option)|(s|shift))[-+](?=.)/iu;

function readModifiers(name: string): { rest: string; modifiers: Modifiers } {
  let [ctrl, alt, shift] = [false, false, false];
  let rest = name;
  for (let found = modifierPrefix.exec(rest); found !== null; found = modifierPrefix.exec(rest)) {
    ctrl ||= found[1] !== undefined;
    alt ||= found[2] !== undefined;
    shift ||= found[3] !== undefined;
    rest = rest.slice(found[0].length);
  }
  if (/^\^.$/u.test(rest)) [ctrl, rest] = [true, rest.slice(1)];
  return { rest, modifiers: { ctrl, alt, shift } };
}

function unknownKey(name: string): string {
  const { rest } = readModifiers(name);
  const meant = nearest(rest, allNames);
  const hint =
    meant === null ? 'Keys are named Enter, Escape, Up, F5, C-c, M-x.' : `Did you mean "${meant}"?`;
  return `There is no key ${JSON.stringify(shorten(name, 40))}. ${hint} Plain text goes into "text".`;
}

const named: readonly NamedKey[] = [
  'Enter',
  'Tab',
  'Escape',
  'Space',
  'Backspace',
  'Delete',
  'Insert',
  'Up',
  'Down',
  'Left',
  'Right',
  'Home',
  'End',
  'PageUp',
  'PageDown',
  ...([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] as const).map((number) => `F${number}` as const),
];

/** Spellings of tmux and others. */
const otherNames: Readonly<Record<string, NamedKey>> = {
  Return: 'Enter',
  CR: 'Enter',
  Esc: 'Escape',
  BSpace: 'Backspace',
  BS: 'Backspace',
  DC: 'Delete',
  Del: 'Delete',
  IC: 'Insert',
  Ins: 'Insert',
  PgUp: 'PageUp',
  PPage: 'PageUp',
  PgDn: 'PageDown',
  PgDown: 'PageDown',
  NPage: 'PageDown',
  ArrowUp: 'Up',
  ArrowDown: 'Down',
  ArrowLeft: 'Left',
  ArrowRight: 'Right',
};

const allNames = [...named, ...Object.keys(otherNames), 'BTab'];

const keysByName = new Map<string, NamedKey>([
  ...named.map((key) => [key.toLowerCase(), key] as const),
  ...Object.entries(otherNames).map(([name, key]) => [name.toLowerCase(), key] as const),
]);
