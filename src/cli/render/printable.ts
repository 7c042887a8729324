import { stripVTControlCharacters } from 'node:util';

/** Controls that a terminal obeys, and characters that turn the direction of writing. Tab and newline stay. */
const invisible = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Somebody else's words, as they may be shown in a terminal: they move no cursor and change no colour. */
export function toPrintable(text: string): string {
  return stripVTControlCharacters(text)
    .replaceAll('\r\n', '\n')
    .replace(invisible, '')
    .replaceAll('\t', '    ');
}
