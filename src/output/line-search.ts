import { createDecoder, type Decoder } from './decode.ts';
import { type GrepResult, grepLines } from './grep.ts';
import { longestLine } from './lines.ts';
import type { OutputPiece, StreamPositions } from './output-chunk.ts';
import type { OutputStream } from './output-sink.ts';
import { anyControl, toPlainText } from './plain-text.ts';

/** How much of an unfinished line is searched whenever it grows. */
const openTailChars = 4096;

/** What is searched within one time box: making one costs as much as searching thousands of short lines. */
const maxCharsAtOnce = 128 * 1024;
/** So few lines must fit into a time box; what holds more and does not fit is searched in parts. */
const fewLines = 2_000;

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
  /**
   * Searches what was pushed since the last time; with `maxChars` little more than so much of it, and unfinished lines only when
   * no complete ones wait.
   */
  search(options?: { readonly maxChars?: number }): LinesFound;
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
  /** Complete lines, many in one text. */
  const waiting: string[] = [];
  let waitingChars = 0;
  const find = createFind(wanted, maxLines);

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
    const text = line.text + line.decoder.push(bytes);
    const end = text.lastIndexOf('\n');
    if (end === -1) return goOn(line, text);
    const counted = line.hasCounted ? text.indexOf('\n') + 1 : 0;
    line.hasCounted = false;
    add(text.slice(counted, end));
    goOn(line, text.slice(end + 1));
  }

  function add(lines: string): void {
    for (let from = 0; from < lines.length; ) {
      const end = lines.indexOf('\n', from + maxCharsAtOnce);
      const part = lines.slice(from, end === -1 ? undefined : end);
      waiting.push(part);
      waitingChars += part.length;
      from += part.length + 1;
    }
  }

  /** The oldest of what waits. */
  function takeWaiting(): string {
    let count = 0;
    let chars = 0;
    while (count < waiting.length && chars < maxCharsAtOnce) {
      chars += waiting[count]?.length ?? 0;
      count += 1;
    }
    waitingChars -= chars;
    return waiting.splice(0, count).join('\n');
  }

  function search({ maxChars = Number.POSITIVE_INFINITY }: { maxChars?: number } = {}): LinesFound {
    const untilChars = waitingChars - maxChars;
    let count = 0;
    let newest: readonly string[] = [];
    while (waiting.length > 0 && waitingChars > untilChars) {
      const complete = find(takeWaiting());
      if (complete.type === 'problem') return complete;
      count += complete.count;
      newest = [...newest, ...complete.lines.slice(-maxLines)].slice(-maxLines);
    }
    const unfinished = waiting.length > 0 ? nothing : searchUnfinished();
    if (unfinished.type === 'problem') return unfinished;
    const lines = [...newest, ...unfinished.lines].slice(-maxLines);
    return { type: 'matches', count: count + unfinished.count, lines };
  }

  function searchUnfinished(): LinesFound {
    const found: string[] = [];
    for (const line of open.values()) {
      if (!line.hasGrown || line.hasCounted) continue;
      line.hasGrown = false;
      const unfinished = find(line.text.slice(-openTailChars));
      if (unfinished.type === 'problem') return unfinished;
      line.hasCounted = unfinished.count > 0;
      found.push(...unfinished.lines);
    }
    return toFound(found);
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

/** As they are seen, without the empty ones. */
function toLines(text: string): string[] {
  const lines = text.split('\n').filter((line) => line !== '');
  const isPlain = !anyControl.test(text);
  return lines.map((line) => {
    const shown = line.length > longestLine ? line.slice(-longestLine) : line;
    return isPlain ? shown : toSeen(shown);
  });
}

/** As `toPlainText` shows a line, at once for one without controls but the CR of its line break, as on a terminal. */
function toSeen(line: string): string {
  const isBroken = line.endsWith('\r');
  const bare = isBroken ? line.slice(0, -1) : line;
  if (anyControl.test(bare)) return toPlainText(line);
  return isBroken ? bare.trimEnd() : bare;
}

const nothing: LinesFound = { type: 'matches', count: 0, lines: [] };

/** What finds it in complete lines. */
function createFind(wanted: Wanted, maxLines: number): (text: string) => LinesFound {
  const text = toText(wanted);
  if (text !== null) return (searched) => findText(searched, { text, maxLines });
  const { pattern } = wanted as Extract<Wanted, { type: 'pattern' }>;
  let isSlow = false;
  return (searched) => {
    const lines = toLines(searched);
    if (lines.length > fewLines && !isSlow) {
      const result = grepLines(lines, { pattern });
      if (result.type === 'matches') return toFound(result.lines);
      isSlow = true;
    }
    return findInParts(lines, pattern);
  };
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
  return toFound(toLines(searched).filter((line) => line.includes(text)));
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

function toFound(lines: readonly string[]): LinesFound {
  return { type: 'matches', count: lines.length, lines };
}

function findInParts(lines: readonly string[], pattern: string): LinesFound {
  const found: string[] = [];
  for (let from = 0; from < lines.length; from += fewLines) {
    const result = findPatiently(lines.slice(from, from + fewLines), pattern);
    if (result.type === 'problem') return result;
    for (const line of result.lines) found.push(line);
  }
  return toFound(found);
}

function findPatiently(lines: readonly string[], pattern: string): GrepResult {
  let result = grepLines(lines, { pattern });
  for (let attempt = 1; result.type === 'problem' && attempt < attempts; attempt += 1)
    result = grepLines(lines, { pattern });
  return result;
}
