/**
 * A word of a command after the shell's quoting has been undone. What cannot be told before it runs (`$X`, `$(…)`) stands in it
 * as NUL, which no argument of a program can hold: one for a part of this word, two where it may as well become several
 * words or none.
 */
export type Word = string;

export const UNKNOWN = '\0';
export const UNKNOWN_WORDS = '\0\0';

export function isCertain(word: Word): boolean {
  return !word.includes(UNKNOWN);
}

/** Whether a program may take it for an option when it runs. */
export function mayBeOption(word: Word): boolean {
  return word.startsWith(UNKNOWN) || word.includes(UNKNOWN_WORDS);
}

const PLAIN = /^[\w@%+=:,./{}*?~^!\u2026-]+$/;

/** As one would type it; what cannot be told is `…`. */
export function showWord(word: Word): string {
  const text = word.replaceAll(/\0+/g, '…');
  return PLAIN.test(text) ? text : toQuoted(text);
}

/** An argument in quotes of a POSIX shell. */
export function toQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A word as text for a shell, with a variable in place of what cannot be told. */
export function toShellText(word: Word): string {
  return word.replaceAll(/\0+/g, '$_');
}
