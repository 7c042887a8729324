import { createDecoder, type Decoder } from './decode.ts';
import { grepLines } from './grep.ts';
import { longestLine } from './lines.ts';
import type { OutputPiece, StreamPositions } from './output-chunk.ts';
import type { OutputStream } from './output-sink.ts';
import { toPlainText } from './plain-text.ts';

/** How much of an unfinished line is searched whenever it grows. */
const openTailChars = 4096;

/** What is searched within one time box. */
const maxLinesAtOnce = 2_000;

/** The time box of a search is one of the wall clock: on a busy machine an honest expression may miss it, but not again and again. */
const attempts = 3;

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

export function createLineSearch(
  wanted: Wanted,
  {
    maxLines,
    from = 0,
  }: {
    /** How many lines of one search are given out. */
    readonly maxLines: number;
    /** Of what stands before only a line that goes on behind it counts. Default: everything counts. */
    readonly from?: StreamPositions | number;
  },
): LineSearch {
  const open = new Map<OutputStream, OpenLine>();
  let fresh: string[] = [];
  let waitingChars = 0;

  function push(piece: OutputPiece): void {
    const { stream } = piece;
    if (piece.type === 'gap') return void open.delete(stream);
    const { bytes } = piece;
    const before = typeof from === 'number' ? from - piece.offset : from[stream] - piece.position;
    // No line that goes on behind it began so far before: of a long log most is passed over.
    if (before - bytes.byteLength > longestLine) return void open.delete(stream);
    const line = open.get(stream) ?? openLine();
    open.set(stream, line);
    const known = Math.min(bytes.byteLength, Math.max(0, before));
    if (known > 0) passOver(line, bytes.subarray(0, known));
    if (known < bytes.byteLength) take(line, bytes.subarray(known));
  }

  function take(line: OpenLine, bytes: Uint8Array): void {
    const [first = '', ...rest] = (line.text + line.decoder.push(bytes)).split('\n');
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
    const complete = find(fresh, wanted);
    fresh = [];
    waitingChars = 0;
    if (complete.type === 'problem') return complete;
    const found = [...complete.lines];
    for (const line of open.values()) {
      if (!line.hasGrown || line.hasCounted) continue;
      line.hasGrown = false;
      const unfinished = find([line.text.slice(-openTailChars)], wanted);
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

function passOver(line: OpenLine, bytes: Uint8Array): void {
  const text = line.text + line.decoder.push(bytes);
  line.text = text.slice(text.lastIndexOf('\n') + 1).slice(-longestLine);
}

function goOn(line: OpenLine, text: string): void {
  line.text = text.slice(-longestLine);
  line.hasGrown = text !== '';
}

function find(
  texts: readonly string[],
  wanted: Wanted,
): { type: 'matches'; lines: readonly string[] } | { type: 'problem'; problem: string } {
  const found: string[] = [];
  for (let from = 0; from < texts.length; from += maxLinesAtOnce) {
    const lines = texts.slice(from, from + maxLinesAtOnce).map(toPlainText);
    const result = match(lines, wanted);
    if (result.type === 'problem') return result;
    for (const line of result.lines) found.push(line);
  }
  return { type: 'matches', lines: found };
}

function match(lines: readonly string[], wanted: Wanted): ReturnType<typeof find> {
  if (wanted.type === 'text')
    return { type: 'matches', lines: lines.filter((line) => line.includes(wanted.text)) };
  const { pattern } = wanted;
  let result = grepLines(lines, { pattern });
  for (let attempt = 1; result.type === 'problem' && attempt < attempts; attempt += 1)
    result = grepLines(lines, { pattern });
  return result;
}
