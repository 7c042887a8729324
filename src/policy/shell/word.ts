/**
 * Word of a command after shell unquoting. Unknown parts (`$X`, `$(…)`) are represented by NUL, which no program
 * argument can contain: one for a part of this word, two where it may become several words or none.
 */
export type Word = string;

export const UNKNOWN = '\0';
export const UNKNOWN_WORDS = '\0\0';

export function isCertain(word: Word): boolean {
  return !word.includes(UNKNOWN);
}

/** Tells whether a program may take the word for an option. */
export function mayBeOption(word: Word): boolean {
  return word.startsWith(UNKNOWN) || word.includes(UNKNOWN_WORDS);
}

const PLAIN = /^[\w@%+=:,./{}*?~^!\u2026-]+$/;

/** Formats a word as typed; unknown parts are `…`. */
export function showWord(word: Word): string {
  const text = word.replaceAll(/\0+/g, '…');
  return PLAIN.test(text) ? text : toQuoted(text);
}

/** An argument in quotes of a POSIX shell. */
export function toQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Returns a word as text for a shell, with a variable in place of unknown parts. */
export function toShellText(word: Word): string {
  return word.replaceAll(/\0+/g, '$_');
}
