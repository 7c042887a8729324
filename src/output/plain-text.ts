/**
 * What a person would have seen: escape sequences are gone, a line that was written over again and again shows its last
 * state, and equal lines in a row are one line with `×N`. Linear in the length of the text.
 */
export function toPlainText(text: string): string {
  return foldRepeats(renderLines(text));
}

/**
 * Everything that a terminal does not show or that moves its cursor. CSI; OSC, ended by BEL or ST; DCS, SOS, PM and APC, ended
 * by ST; other escapes; control characters. Parts cannot begin one another, so a failed match costs only its own length.
 * A string sequence that never ends swallows at most 4096 characters. ECMA-48, xterm ctlseqs.
 */
const controls = new RegExp(
  [
    '(?:\\x1b\\[|\\x9b)([0-?]*)[ -/]*([@-~]|$)',
    '(?:\\x1b\\]|\\x9d)[^\\x07\\x1b\\x90-\\x9f]{0,4096}(?:\\x07|\\x1b\\\\|\\x9c|\\x1b?$)',
    '(?:\\x1b[PX^_]|[\\x90\\x98\\x9e\\x9f])[^\\x1b\\x90-\\x9f]{0,4096}(?:\\x1b\\\\|\\x9c|\\x1b?$)',
    '\\x1b[ -/]*[0-~]?',
    '[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f]',
    '\\n',
  ].join('|'),
  'g',
);

export const anyControl = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/;

/** A program redraws what it has on the screen; nothing scrolled further up can be reached. */
const screenRows = 50;

/** A line that is edited stands on a screen; in longer ones each edit would move all that follows. */
const longestEdited = 1_000;

/** One line, as text until something writes into its middle, then by its characters. */
type Row = string | string[];

function renderLines(text: string): string[] {
  // Five times as fast, and most output is like that.
  if (!anyControl.test(text)) return text.split('\n');
  const rows: Row[] = [''];
  let at = 0;
  let column = 0;
  let from = 0;

  function print(printed: string): void {
    if (printed === '') return;
    const row = rows[at] ?? '';
    if (typeof row === 'string' && column === row.length) {
      rows[at] = row + printed;
      column += printed.length;
      return;
    }
    const cells = toCells(at);
    for (const character of printed) {
      while (cells.length < column) cells.push(' ');
      cells[column] = character;
      column += 1;
    }
  }

  /** Columns count characters from here on; before, in a text that was only added to, they counted UTF-16 units. */
  function toCells(index: number): string[] {
    const row = rows[index] ?? '';
    if (typeof row !== 'string') return row;
    const cells = [...row];
    if (column === row.length) column = cells.length;
    rows[index] = cells;
    return cells;
  }

  function newLine(): void {
    at += 1;
    column = 0;
    if (at === rows.length) rows.push('');
  }

  function moveRow(by: number): void {
    const row = rows[at];
    if (typeof row === 'string' && column === row.length) column = [...row].length;
    at = Math.min(rows.length - 1, Math.max(0, rows.length - screenRows, at + by));
    toCells(at);
  }

  function erase(mode: string): void {
    const cells = toCells(at);
    if (mode === '' || mode === '0') cells.length = Math.min(cells.length, column);
    else if (mode === '1') cells.fill(' ', 0, column + 1);
    else if (mode === '2') cells.length = 0;
  }

  /** What stands from the cursor on: `X` blanks it, `P` takes it out, `@` makes room before it. */
  function edit(command: 'X' | 'P' | '@', count: number): void {
    const cells = toCells(at);
    const reach = Math.max(0, Math.min(count, cells.length - column));
    if (command === 'X') cells.fill(' ', column, column + reach);
    else if (cells.length > longestEdited) return;
    else if (command === 'P') cells.splice(column, reach);
    else if (column < cells.length) cells.splice(column, 0, ...new Array<string>(count).fill(' '));
  }

  function obey(command: string, parameters: string): void {
    const count = Math.min(10_000, Math.max(1, Number.parseInt(parameters, 10) || 1));
    if (command === 'K') erase(parameters);
    else if (command === 'X' || command === 'P' || command === '@') edit(command, count);
    else if (command === 'G') moveTo(count - 1);
    else if (command === 'C') moveTo(currentColumn() + count);
    else if (command === 'D') moveTo(Math.max(0, currentColumn() - count));
    else if (command === 'A' || command === 'F') moveRow(-count);
    else if (command === 'B' || command === 'E') moveRow(count);
    else if (command === 'J' && (parameters === '' || parameters === '0')) eraseBelow();
    if (command === 'E' || command === 'F') column = 0;
  }

  function eraseBelow(): void {
    erase('0');
    rows.length = at + 1;
  }

  function currentColumn(): number {
    toCells(at);
    return column;
  }

  function moveTo(to: number): void {
    toCells(at);
    column = to;
  }

  for (const match of text.matchAll(controls)) {
    print(text.slice(from, match.index));
    from = match.index + match[0].length;
    const [found, parameters, command] = match;
    if (found === '\n') newLine();
    else if (found === '\r') {
      // The frequent pair: the cells are only needed when something is written over.
      if (text[from] !== '\n') moveTo(0);
    } else if (found === '\b') moveTo(Math.max(0, currentColumn() - 1));
    else if (command !== undefined) obey(command, parameters ?? '');
  }
  print(text.slice(from));
  return rows.map((row) => (typeof row === 'string' ? row : row.join('').trimEnd()));
}

/** Empty lines count only from the third on: one or two are how texts are set. */
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

/** How many characters at the end are an escape sequence whose rest is still to come. */
export function unfinishedEscapeLength(text: string): number {
  const last = text.lastIndexOf('\x1b');
  if (last === -1) return 0;
  const end = text.slice(last);
  const opener = text.lastIndexOf('\x1b', last - 1);
  // ESC \ ends a string sequence, so a lone ESC at the end may belong to the sequence before it.
  const isOpen = (tail: string) =>
    /^\x1b(?:$|\[[0-?]*[ -/]*$|\][^\x07\x1b]*\x1b?$|[PX^_][^\x1b]*\x1b?$|[ -/]+$)/.test(tail);
  if (end === '\x1b' && opener !== -1 && last > 0 && isOpen(text.slice(opener))) return text.length - opener;
  return isOpen(end) ? end.length : 0;
}
