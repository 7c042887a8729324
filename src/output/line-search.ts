import { createDecoder, type Decoder } from './decode.ts';
import { grepLines } from './grep.ts';
import { longestLine } from './lines.ts';
import type { OutputPiece } from './output-chunk.ts';
import type { OutputStream } from './output-sink.ts';
import { toPlainText } from './plain-text.ts';

/** How much of an unfinished line is searched whenever it grows. */
const openTailChars = 4096;

/** What is searched within one time box. */
const maxLinesAtOnce = 2_000;

/** The time box of a search is one of the wall clock: on a busy machine an honest expression may miss it, but not again and again. */
const attempts = 3;

export type LinesFound =
  | {
      readonly type: 'matches';
      /** How many lines matched. */
      readonly count: number;
      /** The newest of them, oldest first. */
      readonly lines: readonly string[];
    }
  | { readonly type: 'problem'; readonly problem: string };

/**
 * Finds lines as a person would see them in output as it comes, stream by stream, however it is cut into chunks. Each line counts
 * once: one that matched while it was unfinished, as a prompt is, does not count again when it goes on.
 */
export interface LineSearch {
  push(piece: OutputPiece): void;
  /** Characters of complete lines that were pushed and not searched yet. */
  readonly waitingChars: number;
  /** Searches what was pushed since the last time. */
  search(): LinesFound;
}

interface OpenLine {
  readonly decoder: Decoder;
  text: string;
  hasGrown: boolean;
  hasCounted: boolean;
}

/** `maxLines`: how many lines of one search are given out. */
export function createLineSearch(pattern: string, { maxLines }: { readonly maxLines: number }): LineSearch {
  const open = new Map<OutputStream, OpenLine>();
  let fresh: string[] = [];
  let waitingChars = 0;

  function push(piece: OutputPiece): void {
    if (piece.type === 'gap') return void open.delete(piece.stream);
    const line = open.get(piece.stream) ?? openLine();
    open.set(piece.stream, line);
    const [first = '', ...rest] = (line.text + line.decoder.push(piece.bytes)).split('\n');
    if (rest.length === 0) return goOn(line, first);
    if (!line.hasCounted) add(first);
    line.hasCounted = false;
    const last = rest.pop() ?? '';
    for (const text of rest) add(text);
    goOn(line, last);
  }

  function add(text: string): void {
    if (text === '') return;
    fresh.push(text.slice(-longestLine));
    waitingChars += text.length;
  }

  function search(): LinesFound {
    const complete = find(fresh, pattern);
    fresh = [];
    waitingChars = 0;
    if (complete.type === 'problem') return complete;
    const found = [...complete.lines];
    for (const line of open.values()) {
      if (!line.hasGrown || line.hasCounted) continue;
      line.hasGrown = false;
      const unfinished = find([line.text.slice(-openTailChars)], pattern);
      if (unfinished.type === 'problem') return unfinished;
      line.hasCounted = unfinished.lines.length > 0;
      found.push(...unfinished.lines);
    }
    return { type: 'matches', count: found.length, lines: found.slice(-maxLines) };
  }

  return {
    push,
    search,
    get waitingChars() {
      return waitingChars;
    },
  };
}

function openLine(): OpenLine {
  return { decoder: createDecoder(), text: '', hasGrown: false, hasCounted: false };
}

function goOn(line: OpenLine, text: string): void {
  line.text = text.slice(-longestLine);
  line.hasGrown = text !== '';
}

function find(
  texts: readonly string[],
  pattern: string,
): { type: 'matches'; lines: readonly string[] } | { type: 'problem'; problem: string } {
  const found: string[] = [];
  for (let from = 0; from < texts.length; from += maxLinesAtOnce) {
    const lines = texts.slice(from, from + maxLinesAtOnce).map(toPlainText);
    const result = match(lines, pattern);
    if (result.type === 'problem') return result;
    for (const line of result.lines) found.push(line);
  }
  return { type: 'matches', lines: found };
}

function match(lines: readonly string[], pattern: string): ReturnType<typeof grepLines> {
  let result = grepLines(lines, { pattern });
  for (let attempt = 1; result.type === 'problem' && attempt < attempts; attempt += 1)
    result = grepLines(lines, { pattern });
  return result;
}
