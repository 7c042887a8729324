import { escapeSequence } from '../../output/plain-text.ts';

/** Control characters and characters that change the writing direction, except tab and newline. */
const invisible = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

const invisibleOrBreak = new RegExp(`${invisible.source}|[\\t\\n]`, 'g');
const notShown = new RegExp(`${escapeSequence}|\\r(?=\\n)|${invisible.source}|\\t`, 'g');
const colour = /^\x1b\[[\d;:]*m$/;

/** Upper bound for the width of a terminal. */
const widest = 1_000;

/** Returns foreign text without anything that moves the cursor or changes colours. */
export function toPrintable(text: string): string {
  return text.replace(notShown, (found) => (found === '\t' ? tab : ''));
}

/** Like `toPrintable`, but keeps colours, which last until they are reset, and turns cursor moves to the right into blanks. */
export function toColoured(text: string): string {
  return text.replace(notShown, (found, parameters?: string, command?: string) => {
    if (found === '\t') return tab;
    if (command === 'm' && colour.test(found)) return found;
    if (command !== 'C') return '';
    return ' '.repeat(Math.min(widest, Math.max(1, Number.parseInt(parameters ?? '', 10) || 1)));
  });
}

const tab = '    ';

/** Returns foreign text on one line, with control characters as visible symbols: `␛[31m`, `⏎`. */
export function toVisible(text: string): string {
  return text.replace(invisibleOrBreak, (character) => {
    const code = character.charCodeAt(0);
    if (character === '\n') return ' ⏎ ';
    if (character === '\t') return ' ';
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return code === 0x7f ? '␡' : '�';
  });
}
