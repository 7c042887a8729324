/** A program redraws what it has on the screen; nothing scrolled further up can be reached. */
const screenRows = 50;

/** No terminal is wider: nothing moves further to the right, unless text stands there. In longer lines each edit would move all that follows. */
const widest = 1_000;

/** One line, as text until something writes into its middle, then by its characters. */
type Row = string | string[];

type EditCommand = 'X' | 'P' | '@';

/** Lines that are printed on, and the cursor in them. Whatever a call is asked for, its work is bounded. */
export interface ScreenRows {
  print(text: string): void;
  newLine(): void;
  /** To a column, 0 is the first. */
  moveTo(column: number): void;
  moveBy(columns: number): void;
  moveRow(by: number): void;
  /** In the row: '0' from the cursor on, '1' up to it, '2' all. */
  erase(mode: string): void;
  eraseBelow(): void;
  /** What stands from the cursor on: `X` blanks it, `P` takes it out, `@` makes room before it. */
  edit(command: EditCommand, count: number): void;
  lines(): string[];
  /** Cells that were written, moved or read so far: what time and memory go by. */
  readonly work: number;
}

/** `mostBlanks` are printed to reach columns behind the end of their rows, all together: beyond, a row goes on behind one blank. */
export function createScreenRows({ mostBlanks }: { readonly mostBlanks: number }): ScreenRows {
  const rows: Row[] = [''];
  let at = 0;
  let column = 0;
  let blanks = mostBlanks;
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
    for (const character of printed) {
      cells[column] = character;
      column += 1;
    }
  }

  function fillUp(cells: string[]): void {
    const missing = Math.max(0, column - cells.length);
    const given = Math.min(missing, Math.max(1, blanks));
    blanks -= given;
    work += given;
    for (let left = given; left > 0; left -= 1) cells.push(' ');
    if (missing > 0) column = cells.length;
  }

  /** Columns count characters from here on; before, in a text that was only added to, they counted UTF-16 units. */
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

  /** Up to the cursor no further than a screen is wide: a longer line is several rows of it. */
  function erase(mode: string): void {
    const cells = toCells();
    if (mode === '' || mode === '0') cells.length = Math.min(cells.length, column);
    else if (mode === '1') blank(cells, { from: Math.max(0, column + 1 - widest), to: column + 1 });
    else if (mode === '2') cells.length = 0;
  }

  function blank(cells: string[], { from, to }: { from: number; to: number }): void {
    const end = Math.min(to, cells.length);
    work += Math.max(0, end - from);
    cells.fill(' ', from, end);
  }

  function eraseBelow(): void {
    erase('0');
    rows.length = at + 1;
  }

  function edit(command: EditCommand, count: number): void {
    const cells = toCells();
    const reach = Math.max(0, Math.min(count, widest, cells.length - column));
    if (command === 'X') return blank(cells, { from: column, to: column + reach });
    if (cells.length > widest || reach === 0) return;
    work += cells.length - column;
    if (command === 'P') return void cells.splice(column, reach);
    const room = Math.min(count, widest - column);
    work += room;
    cells.splice(column, 0, ...new Array<string>(room).fill(' '));
    // What is moved over the right margin is gone.
    cells.length = Math.min(cells.length, widest);
  }

  return {
    ...{ print, newLine, moveTo, moveBy, moveRow, erase, eraseBelow, edit },
    lines: () => rows.map((row) => (typeof row === 'string' ? row : row.join('').trimEnd())),
    get work() {
      return work;
    },
  };
}
