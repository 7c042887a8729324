import { loadInstalled } from '../../config/installed-package.ts';

type Measure = (text: string) => number;

/** Characters of one column each. Measuring others loads tables, which takes longer than a short command. */
const narrow = /^[ -~¡-¬®-˿–—…⏎·●›→←↑↓⇢◆│└␀-␦�]*$/;

let measure: Measure | null = null;

/** Returns the width of a text in columns of a terminal. */
export function textWidth(text: string): number {
  if (narrow.test(text)) return text.length;
  measure ??= loadMeasure();
  return measure(text);
}

function loadMeasure(): Measure {
  const module = loadInstalled('string-width') as typeof import('string-width');
  return module.default;
}

/** Created on first use, because that takes longer than a short command. */
let segmenter: Intl.Segmenter | null = null;

/** Upper bound for the length of one character, so that a long text is not scanned as a whole for each row. */
const UNITS_PER_COLUMN = 64;

/** Breaks one line at its blanks into rows of at most `width` columns. Longer words are split; later rows keep the indent of the first. */
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

/** Returns the beginning of a text that fits into `width` columns, but at least one character. */
function takeColumns(text: string, width: number): string {
  const ascii = /^[ -~]*/.exec(text.slice(0, width + 1))?.[0] ?? '';
  // A combining character after the last one belongs to it.
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

/** Cuts a line to `width` columns, ending with `…`. */
export function clip(line: string, width: number): string {
  if (textWidth(line) <= width) return line;
  return `${takeColumns(line, Math.max(1, width - 1))}…`;
}

/** Pads a text with blanks to `width` columns. */
export function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)));
}
