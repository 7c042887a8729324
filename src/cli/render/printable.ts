import { escapeSequence } from '../../output/plain-text.ts';

/** Controls that a terminal obeys, and characters that turn the direction of writing. Tab and newline stay. */
const invisible = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

const invisibleOrBreak = new RegExp(`${invisible.source}|[\\t\\n]`, 'g');
const notShown = new RegExp(`${escapeSequence}|\\r(?=\\n)|${invisible.source}|\\t`, 'g');
const colour = /^\x1b\[[\d;:]*m$/;

/** No terminal is wider. */
const widest = 1_000;

/** Somebody else's words, as they may be shown in a terminal: they move no cursor and change no colour. */
export function toPrintable(text: string): string {
  return text.replace(notShown, (found) => (found === '\t' ? tab : ''));
}

/**
 * The same with the colours left in, which last until they are reset. A move to the right is blanks, as it is on an empty line; nothing
 * else moves the cursor.
 */
export function toColoured(text: string): string {
  return text.replace(notShown, (found, parameters?: string, command?: string) => {
    if (found === '\t') return tab;
    if (command === 'm' && colour.test(found)) return found;
    if (command !== 'C') return '';
    return ' '.repeat(Math.min(widest, Math.max(1, Number.parseInt(parameters ?? '', 10) || 1)));
  });
}

const tab = '    ';

/** Somebody else's words on one line, with what a terminal would obey as a sign of its own: `␛[31m`, `⏎`. */
export function toVisible(text: string): string {
  return text.replace(invisibleOrBreak, (character) => {
    const code = character.charCodeAt(0);
    if (character === '\n') return ' ⏎ ';
    if (character === '\t') return ' ';
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return code === 0x7f ? '␡' : '�';
  });
}
