import { type GrepResult, grepLines } from './grep.ts';
import { longestLine } from './lines.ts';
import { anyControl, toPlainText } from './plain-text.ts';

/** Lines that must fit into one time box; larger input that does not fit is searched in parts of this size. */
const fewLines = 2_000;

/** The text or JavaScript regular expression to find. */
export type LineQuery =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'pattern'; readonly pattern: string };

export type LineMatches =
  | {
      readonly type: 'matches';
      /** Number of lines that matched. */
      readonly count: number;
      /** The newest matching lines, oldest first. */
      readonly lines: readonly string[];
    }
  | { readonly type: 'problem'; readonly problem: string };

export const noMatches: LineMatches = { type: 'matches', count: 0, lines: [] };

/** Finds one query in lines. */
interface LineFinder {
  /** Searches complete lines. */
  inLines(text: string): LineMatches;
  inLine(line: RenderedLine): LineMatches;
}

export function createLineFinder(wanted: LineQuery, maxLines: number): LineFinder {
  const text = toText(wanted);
  if (text !== null) {
    return {
      inLines: (searched) => findText(searched, { text, maxLines }),
      inLine: (line) => toMatches([line].filter(includes(text)).map(toShown)),
    };
  }
  const { pattern } = wanted as Extract<LineQuery, { type: 'pattern' }>;
  let isSlow = false;
  return {
    inLine: (line) => findInParts([line], pattern),
    inLines: (searched) => {
      const lines = toRenderedLines(searched);
      if (lines.length > fewLines && !isSlow) {
        const result = grepRendered(lines, pattern);
        if (result.type === 'matches') return toMatches(result.lines);
        isSlow = true;
      }
      return findInParts(lines, pattern);
    },
  };
}

function grepRendered(lines: readonly RenderedLine[], pattern: string): GrepResult {
  const begins = new Map<number, number>();
  for (const [index, { from }] of lines.entries()) if (from > 0) begins.set(index, from);
  return grepLines(lines.map(toShown), { pattern, begins });
}

function includes(text: string): (line: RenderedLine) => boolean {
  return (line) => line.text.includes(text, line.from);
}

function toShown({ text }: RenderedLine): string {
  return text;
}

/** Returns the literal text of a query without special characters, which needs no time box. */
function toText(wanted: LineQuery): string | null {
  if (wanted.type === 'text') return wanted.text;
  return /^[^\\^$.*+?()[\]{}|]+$/.test(wanted.pattern) ? wanted.pattern : null;
}

function findText(searched: string, wanted: { text: string; maxLines: number }): LineMatches {
  const { text } = wanted;
  const isPlain = !anyControl.test(searched);
  if (isPlain && !searched.includes(text)) return noMatches;
  const isSimple = isPlain && text !== '' && !text.includes('\n') && !hasLongLine(searched);
  if (isSimple) return findPlainText(searched, wanted);
  return toMatches(toRenderedLines(searched).filter(includes(text)).map(toShown));
}

/** Extracts only the lines that are shown, because extraction dominates where all lines match. */
function findPlainText(
  searched: string,
  { text, maxLines }: { text: string; maxLines: number },
): LineMatches {
  const newest: { from: number; to: number }[] = [];
  let count = 0;
  for (let at = searched.indexOf(text); at !== -1; ) {
    const end = searched.indexOf('\n', at);
    const to = end === -1 ? searched.length : end;
    newest[count % maxLines] = { from: at, to };
    count += 1;
    at = searched.indexOf(text, to);
  }
  const oldest = count % maxLines;
  const inOrder = count < maxLines ? newest : [...newest.slice(oldest), ...newest.slice(0, oldest)];
  const lines = inOrder.map(({ from, to }) => searched.slice(searched.lastIndexOf('\n', from) + 1, to));
  return { type: 'matches', count, lines };
}

function hasLongLine(text: string): boolean {
  for (let from = 0; from + longestLine < text.length; ) {
    const end = text.lastIndexOf('\n', from + longestLine);
    if (end < from) return true;
    from = end + 1;
  }
  return false;
}

export function toMatches(lines: readonly string[]): LineMatches {
  return { type: 'matches', count: lines.length, lines };
}

function findInParts(lines: readonly RenderedLine[], pattern: string): LineMatches {
  const found: string[] = [];
  for (let from = 0; from < lines.length; from += fewLines) {
    const result = grepRendered(lines.slice(from, from + fewLines), pattern);
    if (result.type === 'problem') return result;
    for (const line of result.lines) found.push(line);
  }
  return toMatches(found);
}

/** A line as a terminal shows it; a match may begin at `from`. */
export interface RenderedLine {
  readonly text: string;
  readonly from: number;
}

/** Keeps one character more than the longest line, which tells `^` that the line begins earlier. */
export function truncateLine(text: string): string {
  return text.length > longestLine ? text.slice(-longestLine - 1) : text;
}

export function toRenderedLine(line: string): RenderedLine {
  const text = anyControl.test(line) ? renderLine(line) : line;
  return { text, from: line.length > longestLine ? 1 : 0 };
}

/** Renders all lines except empty ones. */
function toRenderedLines(text: string): RenderedLine[] {
  const lines = text.split('\n').filter((line) => line !== '');
  const isPlain = !anyControl.test(text);
  return lines.map((line) =>
    isPlain && line.length <= longestLine ? { text: line, from: 0 } : toRenderedLine(truncateLine(line)),
  );
}

/** Renders a line like `toPlainText`, with a fast path for lines without controls other than a trailing CR. */
export function renderLine(line: string): string {
  const isBroken = line.endsWith('\r');
  const bare = isBroken ? line.slice(0, -1) : line;
  if (anyControl.test(bare)) return toPlainText(line);
  return isBroken ? bare.trimEnd() : bare;
}
