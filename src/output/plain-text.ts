import { createScreenRows, type ScreenRows } from './screen-rows.ts';

/**
 * Renders text as a terminal shows it: escape sequences are removed, an overwritten line shows its last
 * state, and equal consecutive lines become one line with `×N`. Linear in the length of the text.
 */
export function toPlainText(text: string): string {
  return foldRepeats(renderLines(text));
}

/**
 * Source of a regular expression for escape sequences: CSI with its parameters and command as groups; OSC,
 * ended by BEL or ST; DCS, SOS, PM and APC, ended by ST; other escapes. No alternative can begin another, so
 * that a failed match costs only its own length. An unterminated string sequence consumes at most 4096
 * characters. ECMA-48, xterm ctlseqs.
 */
export const escapeSequence = [
  '(?:\\x1b\\[|\\x9b)([0-?]*)[ -/]*([@-~]|$)',
  '(?:\\x1b\\]|\\x9d)[^\\x07\\x1b\\x90-\\x9f]{0,4096}(?:\\x07|\\x1b\\\\|\\x9c|\\x1b?$)',
  '(?:\\x1b[PX^_]|[\\x90\\x98\\x9e\\x9f])[^\\x1b\\x90-\\x9f]{0,4096}(?:\\x1b\\\\|\\x9c|\\x1b?$)',
  '\\x1b[ -/]*[0-~]?',
].join('|');

/** Matches everything that a terminal does not show or that moves its cursor. */
const controls = new RegExp(`${escapeSequence}|[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f]|\\n`, 'g');

export const anyControl = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/;

/**
 * Blanks available for a text plus those for each of its characters: enough to reach right margins, but
 * bounded in memory.
 */
const blanksAtLeast = 256;
const blanksPerCharacter = 16;

function renderLines(text: string): string[] {
  // Five times as fast, and most output has no controls.
  return anyControl.test(text) ? drawText(text).lines() : text.split('\n');
}

/**
 * Returns the rows that the text leaves on a screen. Time and memory are linear in its length, whatever it
 * contains.
 */
export function drawText(text: string): ScreenRows {
  const rows = createScreenRows({ maxBlanks: blanksAtLeast + blanksPerCharacter * text.length });
  let from = 0;
  for (const match of text.matchAll(controls)) {
    rows.print(text.slice(from, match.index));
    from = match.index + match[0].length;
    const [found, parameters, command] = match;
    if (found === '\n') rows.newLine();
    else if (found === '\r') {
      // Fast path for CR LF: cells are only needed when something is overwritten.
      if (text[from] !== '\n') rows.moveTo(0);
    } else if (found === '\b') rows.moveBy(-1);
    else if (command !== undefined) applyCommand(rows, { command, parameters: parameters ?? '' });
  }
  rows.print(text.slice(from));
  return rows;
}

function applyCommand(
  rows: ScreenRows,
  { command, parameters }: { readonly command: string; readonly parameters: string },
): void {
  const count = Math.max(1, Number.parseInt(parameters, 10) || 1);
  if (command === 'K') rows.erase(parameters);
  else if (command === 'X' || command === 'P' || command === '@') rows.edit(command, count);
  else if (command === 'G') rows.moveTo(count - 1);
  else if (command === 'C') rows.moveBy(count);
  else if (command === 'D') rows.moveBy(-count);
  else if (command === 'A' || command === 'F') rows.moveRow(-count);
  else if (command === 'B' || command === 'E') rows.moveRow(count);
  else if (command === 'J' && (parameters === '' || parameters === '0')) rows.eraseBelow();
  if (command === 'E' || command === 'F') rows.moveTo(0);
}

/** Folds empty lines from the third on, since one or two are layout. */
function foldRepeats(lines: readonly string[]): string {
  const folded: string[] = [];
  for (let index = 0; index < lines.length; ) {
    const line = lines[index] ?? '';
    let count = 1;
    while (lines[index + count] === line && index + count < lines.length) count += 1;
    const isLastEmpty = line === '' && index + count === lines.length;
    index += count;
    if (line !== '') folded.push(count === 1 ? line : `${line} ×${count}`);
    else if (count <= 3) folded.push(...new Array<string>(count).fill(''));
    else folded.push(`(empty line) ×${isLastEmpty ? count - 1 : count}`, ...(isLastEmpty ? [''] : []));
  }
  return folded.join('\n');
}

/** Returns how many characters at the end belong to an unfinished escape sequence. */
export function unfinishedEscapeLength(text: string): number {
  const last = text.lastIndexOf('\x1b');
  if (last === -1) return 0;
  const end = text.slice(last);
  const opener = text.lastIndexOf('\x1b', last - 1);
  // ESC \ ends a string sequence, so a trailing lone ESC may belong to the sequence before it.
  const isOpen = (tail: string) =>
    /^\x1b(?:$|\[[0-?]*[ -/]*$|\][^\x07\x1b]*\x1b?$|[PX^_][^\x1b]*\x1b?$|[ -/]+$)/.test(tail);
  if (end === '\x1b' && opener !== -1 && last > 0 && isOpen(text.slice(opener))) return text.length - opener;
  return isOpen(end) ? end.length : 0;
}
