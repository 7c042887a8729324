/** Programs redraw what is on the screen; rows that scrolled further up cannot be reached. */
const screenRows = 50;

/**
 * No terminal is wider: the cursor moves no further right unless text stands there, and edits of longer lines
 * would move everything after them.
 */
const widest = 1_000;

/** A line, as text until something writes into its middle, then as characters. */
type Row = string | string[];

type EditCommand = 'X' | 'P' | '@';

/** Rows to print on, and the cursor in them. Each call does bounded work. */
export interface ScreenRows {
  print(text: string): void;
  newLine(): void;
  /** Moves to a column, 0 is the first. */
  moveTo(column: number): void;
  moveBy(columns: number): void;
  moveRow(by: number): void;
  /** Erases in the row: '0' from the cursor on, '1' up to it, '2' all. */
  erase(mode: string): void;
  eraseBelow(): void;
  /** Edits from the cursor on: `X` blanks characters, `P` removes them, `@` inserts blanks. */
  edit(command: EditCommand, count: number): void;
  lines(): string[];
  /** Cells written, moved or read so far, which bounds time and memory. */
  readonly work: number;
}

/**
 * Creates empty rows. At most `maxBlanks` in total are printed to reach columns beyond the end of rows, or inserted; after
 * that, a row continues after one blank.
 */
export function createScreenRows({ maxBlanks }: { readonly maxBlanks: number }): ScreenRows {
  const rows: Row[] = [''];
  let at = 0;
  let column = 0;
  let blanks = maxBlanks;
  let work = 0;

  function print(printed: string): void {
    if (printed === '') return;
    work += printed.length;
    const row = rows[at] ?? '';
    if (typeof row === 'string' && column === row.length) {
      rows[at] = row + printed;
      column += printed.length;
      return;
    }
    const cells = toCells();
    fillUp(cells);
    for (const character of printed) cells[column++] = character;
  }

  function fillUp(cells: string[]): void {
    const missing = Math.max(0, column - cells.length);
    const given = Math.min(missing, Math.max(1, blanks));
    blanks -= given;
    work += given;
    for (let left = given; left > 0; left -= 1) cells.push(' ');
    if (missing > 0) column = cells.length;
  }

  /**
   * Converts the row to cells. Columns count characters from here on; before, in text that was only appended
   * to, they counted UTF-16 units.
   */
  function toCells(): string[] {
    const row = rows[at] ?? '';
    if (typeof row !== 'string') return row;
    const cells = [...row];
    work += cells.length;
    if (column === row.length) column = cells.length;
    rows[at] = cells;
    return cells;
  }

  function newLine(): void {
    at += 1;
    column = 0;
    if (at === rows.length) rows.push('');
  }

  function moveTo(to: number): void {
    const { length } = toCells();
    column = Math.max(0, Math.min(to, Math.max(length, widest - 1)));
  }

  function moveBy(columns: number): void {
    toCells();
    moveTo(column + columns);
  }

  function moveRow(by: number): void {
    toCells();
    at = Math.min(rows.length - 1, Math.max(0, rows.length - screenRows, at + by));
    moveTo(column);
  }

  /** Erases back no further than the width of a screen, because a longer line occupies several rows. */
  function erase(mode: string): void {
    const cells = toCells();
    if (mode === '' || mode === '0') cells.length = Math.min(cells.length, column);
    else if (mode === '1')
      work += blankCells(cells, { from: Math.max(0, column + 1 - widest), to: column + 1 });
    else if (mode === '2') cells.length = 0;
  }

  function eraseBelow(): void {
    erase('0');
    rows.length = at + 1;
  }

  function edit(command: EditCommand, count: number): void {
    const cells = toCells();
    const reach = Math.max(0, Math.min(count, widest, cells.length - column));
    if (command === 'X') work += blankCells(cells, { from: column, to: column + reach });
    if (command === 'X' || cells.length > widest || reach === 0) return;
    work += cells.length - column;
    if (command === 'P') return void cells.splice(column, reach);
    const given = Math.min(count, widest - column, Math.max(0, blanks));
    blanks -= given;
    work += insertBlanks(cells, { at: column, count: given });
  }

  return {
    ...{ print, newLine, moveTo, moveBy, moveRow, erase, eraseBelow, edit },
    lines: () => rows.map((row) => (typeof row === 'string' ? row : row.join('').trimEnd())),
    get work() {
      return work;
    },
  };
}

/** Blanks a range of cells and returns how many it has. */
function blankCells(cells: string[], { from, to }: { from: number; to: number }): number {
  const end = Math.min(to, cells.length);
  cells.fill(' ', from, end);
  return Math.max(0, end - from);
}

/** Inserts blanks and returns how many. Characters moved over the right margin are gone. */
function insertBlanks(cells: string[], { at, count }: { at: number; count: number }): number {
  cells.splice(at, 0, ...new Array<string>(count).fill(' '));
  cells.length = Math.min(cells.length, widest);
  return count;
}
