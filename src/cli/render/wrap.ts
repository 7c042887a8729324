import { createRequire } from 'node:module';

type Measure = (text: string) => number;

/** One column each, as all of our own texts are. Measuring anything else takes tables that cost more to load than a short command takes. */
const narrow = /^[ -~¡-¬®-˿–—…⏎·●›→←↑↓⇢◆│└␀-␦�]*$/;

let measure: Measure | null = null;

/** How many columns of a terminal a text takes. */
export function textWidth(text: string): number {
  if (narrow.test(text)) return text.length;
  measure ??= loadMeasure();
  return measure(text);
}

function loadMeasure(): Measure {
  const module = createRequire(import.meta.url)('string-width') as typeof import('string-width');
  return module.default;
}

/** Made when it is needed: that takes longer than everything else that a short command does. */
let segmenter: Intl.Segmenter | null = null;

/** No character that takes a column is longer; so a long text need not be looked at as a whole for each row of it. */
const UNITS_PER_COLUMN = 64;

/**
 * Breaks one line at its blanks into rows of at most `width` columns; what has no blank is broken where it must be. Rows
 * after the first keep the indent of the first.
 */
export function wrap(line: string, width: number): string[] {
  if (textWidth(line) <= width) return [line];
  const indent = (/^ */.exec(line)?.[0] ?? '').slice(0, Math.floor(width / 2));
  const rows: string[] = [];
  let row = '';
  for (const word of line.trimStart().split(/(?<=\S)(?= )/)) {
    if (textWidth(indent + row + word) <= width) {
      row += word;
      continue;
    }
    if (row !== '') rows.push(indent + row);
    const pieces = breakWord(word.trimStart(), width - indent.length);
    rows.push(...pieces.slice(0, -1).map((piece) => indent + piece));
    row = pieces.at(-1) ?? '';
  }
  return [...rows, indent + row];
}

function breakWord(word: string, width: number): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < word.length; at += pieces.at(-1)?.length ?? 0) {
    pieces.push(takeColumns(word.slice(at, at + width * UNITS_PER_COLUMN), width));
  }
  return pieces.length === 0 ? [''] : pieces;
}

/** As much of the beginning as fits into `width` columns, but at least one character. */
function takeColumns(text: string, width: number): string {
  const ascii = /^[ -~]*/.exec(text.slice(0, width + 1))?.[0] ?? '';
  // What follows may belong to the last of them.
  if (ascii.length > width || ascii.length === text.length) return text.slice(0, Math.max(1, width));
  let taken = '';
  for (const { segment } of getSegmenter().segment(text)) {
    if (taken !== '' && textWidth(taken + segment) > width) break;
    taken += segment;
  }
  return taken;
}

function getSegmenter(): Intl.Segmenter {
  segmenter ??= new Intl.Segmenter();
  return segmenter;
}

/** The beginning of a line that fits; what was cut off is `…`. */
export function clip(line: string, width: number): string {
  if (textWidth(line) <= width) return line;
  return `${takeColumns(line, Math.max(1, width - 1))}…`;
}

/** Filled up with blanks to `width` columns. */
export function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)));
}
