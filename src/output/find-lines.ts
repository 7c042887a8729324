import { type GrepResult, grepLines } from './grep.ts';
import { longestLine } from './lines.ts';
import { anyControl } from './plain-text.ts';
import { type SeenLine, toLines } from './seen-line.ts';

/** So few lines must fit into a time box; what holds more and does not fit is searched in parts. */
const fewLines = 2_000;

/** What is looked for: a text, or a JavaScript regular expression. */
export type Wanted =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'pattern'; readonly pattern: string };

export type LinesFound =
  | {
      readonly type: 'matches';
      /** How many lines matched. */
      readonly count: number;
      /** The newest of them, oldest first. */
      readonly lines: readonly string[];
    }
  | { readonly type: 'problem'; readonly problem: string };

export const nothing: LinesFound = { type: 'matches', count: 0, lines: [] };

/** A way to find it. */
export interface Find {
  /** In complete lines. */
  inLines(text: string): LinesFound;
  inLine(line: SeenLine): LinesFound;
}

export function createFind(wanted: Wanted, maxLines: number): Find {
  const text = toText(wanted);
  if (text !== null) {
    return {
      inLines: (searched) => findText(searched, { text, maxLines }),
      inLine: (line) => toFound([line].filter(includes(text)).map(toShown)),
    };
  }
  const { pattern } = wanted as Extract<Wanted, { type: 'pattern' }>;
  let isSlow = false;
  return {
    inLine: (line) => findInParts([line], pattern),
    inLines: (searched) => {
      const lines = toLines(searched);
      if (lines.length > fewLines && !isSlow) {
        const result = grepSeen(lines, pattern);
        if (result.type === 'matches') return toFound(result.lines);
        isSlow = true;
      }
      return findInParts(lines, pattern);
    },
  };
}

function grepSeen(lines: readonly SeenLine[], pattern: string): GrepResult {
  const begins = new Map<number, number>();
  for (const [index, { from }] of lines.entries()) if (from > 0) begins.set(index, from);
  return grepLines(lines.map(toShown), { pattern, begins });
}

function includes(text: string): (line: SeenLine) => boolean {
  return (line) => line.text.includes(text, line.from);
}

function toShown({ text }: SeenLine): string {
  return text;
}

/** An expression that is only a text is looked for as one: that needs no time box. */
function toText(wanted: Wanted): string | null {
  if (wanted.type === 'text') return wanted.text;
  return /^[^\\^$.*+?()[\]{}|]+$/.test(wanted.pattern) ? wanted.pattern : null;
}

function findText(searched: string, wanted: { text: string; maxLines: number }): LinesFound {
  const { text } = wanted;
  const isPlain = !anyControl.test(searched);
  if (isPlain && !searched.includes(text)) return nothing;
  const isSimple = isPlain && text !== '' && !text.includes('\n') && !hasLongLine(searched);
  if (isSimple) return findPlainText(searched, wanted);
  return toFound(toLines(searched).filter(includes(text)).map(toShown));
}

/** Cuts out only the lines that are shown: where all match, that is what takes longest. */
function findPlainText(searched: string, { text, maxLines }: { text: string; maxLines: number }): LinesFound {
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

export function toFound(lines: readonly string[]): LinesFound {
  return { type: 'matches', count: lines.length, lines };
}

function findInParts(lines: readonly SeenLine[], pattern: string): LinesFound {
  const found: string[] = [];
  for (let from = 0; from < lines.length; from += fewLines) {
    const result = grepSeen(lines.slice(from, from + fewLines), pattern);
    if (result.type === 'problem') return result;
    for (const line of result.lines) found.push(line);
  }
  return toFound(found);
}
