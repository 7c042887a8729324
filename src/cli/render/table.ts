import type { Page, Style } from './page.ts';
import { clip, pad, textWidth } from './wrap.ts';

export interface Column<Row> {
  readonly heading: string;
  /** Returns one printable line. */
  cell(row: Row): string;
  style?(row: Row): Style;
  readonly align?: 'right';
  /** Columns with higher numbers are dropped first on a narrow page; a column without a number stays. */
  readonly dropPriority?: number;
}

export interface TableOptions<Row> {
  readonly rows: readonly Row[];
  /** The last column takes the remaining width. */
  readonly columns: readonly Column<Row>[];
  /** Returns lines to be indented below a row. */
  readonly under?: (row: Row) => readonly string[];
}

const GAP = 2;
const INDENT = '  ';
/** Minimum useful width of the last column. */
const LEAST_LAST_WIDTH = 16;

/** Renders the heading, then each row with the lines below it. No line is wider than the page. */
export function renderTable<Row>({ rows, columns, under }: TableOptions<Row>, page: Page): string[][] {
  const shown = fitColumns({ rows, columns }, page);
  const last = shown.length - 1;
  const before = shown.slice(0, -1).reduce((sum, { width }) => sum + width + GAP, INDENT.length);
  const room = Math.max(0, page.width - before);

  const toLine = (
    cellOf: (column: Column<Row>) => string,
    styleOf: (column: Column<Row>) => Style | undefined,
  ) => {
    const cells = shown.map(({ column, width }, index) => {
      const cell = cellOf(column);
      const text = index === last ? clip(cell, room) : fill(cell, { width, align: column.align });
      const style = styleOf(column);
      const gap = index === last ? '' : ' '.repeat(GAP);
      return (style === undefined ? text : page.paint(style, text)) + gap;
    });
    return (INDENT + cells.join('')).trimEnd();
  };

  const heading = toLine(
    ({ heading }) => heading,
    () => 'dim',
  );
  const lines = rows.map((row) => {
    const line = toLine(
      ({ cell }) => cell(row),
      ({ style }) => style?.(row),
    );
    const indent = INDENT.repeat(2);
    const below = (under?.(row) ?? []).map((text) => clip(text, page.width - indent.length));
    return [line, ...below.map((text) => indent + page.paint('dim', text))];
  });
  return [[heading], ...lines];
}

interface FittedColumn<Row> {
  readonly column: Column<Row>;
  readonly width: number;
}

/** Drops columns until the others fit. */
function fitColumns<Row>({ rows, columns }: TableOptions<Row>, page: Page): readonly FittedColumn<Row>[] {
  const fitted = columns.map((column) => ({
    column,
    width: rows.reduce(
      (width, row) => Math.max(width, textWidth(column.cell(row))),
      textWidth(column.heading),
    ),
  }));
  const isTooWide = (left: readonly FittedColumn<Row>[]) => {
    const [last, ...others] = left.toReversed();
    const before = others.reduce((sum, { width }) => sum + width + GAP, INDENT.length);
    return before + Math.min(LEAST_LAST_WIDTH, last?.width ?? 0) > page.width;
  };
  const droppable = fitted
    .filter(({ column }) => column.dropPriority !== undefined)
    .sort((a, b) => (b.column.dropPriority ?? 0) - (a.column.dropPriority ?? 0));
  let left: readonly FittedColumn<Row>[] = fitted;
  for (const gone of droppable) {
    if (!isTooWide(left)) break;
    left = left.filter((column) => column !== gone);
  }
  return left;
}

function fill(
  text: string,
  { width, align }: { readonly width: number; readonly align: 'right' | undefined },
) {
  return align === 'right' ? ' '.repeat(Math.max(0, width - textWidth(text))) + text : pad(text, width);
}
