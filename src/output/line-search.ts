import { createDecoder, type Decoder } from './decode.ts';
import {
  createLineFinder,
  type LineMatches,
  type LineQuery,
  noMatches,
  type RenderedLine,
  renderLine,
  toMatches,
  toRenderedLine,
  truncateLine,
} from './find-lines.ts';
import { longestLine } from './lines.ts';
import type { OutputPiece, StreamPositions } from './output-chunk.ts';
import type { OutputStream } from './output-sink.ts';
import { anyControl } from './plain-text.ts';

export type { LineMatches as LinesFound, LineQuery as Wanted } from './find-lines.ts';

/** What is searched within one time box: making one costs as much as searching thousands of short lines. */
const maxCharsAtOnce = 128 * 1024;

/** A match in an unfinished line may have begun so long before what came last. */
const overlapChars = 4096;

/**
 * Finds lines as a person would see them in output as it comes, stream by stream, however it is cut into chunks. Each line counts
 * once: one that matched while it was unfinished, as a prompt is, does not count again when it goes on. Of an unfinished line only what is
 * new is searched, with 4,096 characters before it: what matches over more counts when the line is complete. Of one with more than
 * 64 Ki characters the newest are searched.
 */
interface LineSearch {
  push(piece: OutputPiece): void;
  /** Characters of complete lines that were pushed and not searched yet. */
  readonly waitingChars: number;
  /** Of which the unfinished line has counted: a search that goes on behind all that was searched needs to know it. */
  readonly counted: readonly OutputStream[];
  /**
   * Searches what was pushed since the last time; with `maxChars` little more than so much of it, and unfinished lines only when
   * no complete ones wait.
   */
  search(options?: { readonly maxChars?: number }): LineMatches;
}

interface OpenLine {
  readonly decoder: Decoder;
  /** One character more than the longest line where its beginning was cut off. */
  text: string;
  searchedChars: number;
  /** Nothing in it moves a cursor. */
  isPlain: boolean;
  hasGrown: boolean;
  hasCounted: boolean;
}

export function createLineSearch(
  wanted: LineQuery,
  {
    maxLines,
    from = 0,
    counted = [],
  }: {
    /** How many lines of one search are given out. */
    readonly maxLines: number;
    /**
     * Of what stands before only a line that goes on behind it counts. Whoever follows from there on pushes what was printed since
     * `beforeLine(from)`, so that this line is known from its beginning. Default: everything counts.
     */
    readonly from?: StreamPositions | number;
    /** Of which the line that goes on behind `from` has counted before, so that it does not again. Default: none. */
    readonly counted?: readonly OutputStream[];
  },
): LineSearch {
  const open = new Map<OutputStream, OpenLine>();
  /** Complete lines, many in one text. */
  const waiting: string[] = [];
  let waitingChars = 0;
  const find = createLineFinder(wanted, maxLines);

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
    if (before >= 0 && before <= bytes.byteLength) line.hasCounted ||= counted.includes(stream);
    if (known < bytes.byteLength) take(line, bytes.subarray(known));
  }

  function take(line: OpenLine, bytes: Uint8Array): void {
    const added = line.decoder.push(bytes);
    const end = added.lastIndexOf('\n');
    if (end === -1) return goOn(line, added);
    add(line.hasCounted ? added.slice(added.indexOf('\n') + 1, end) : line.text + added.slice(0, end));
    begin(line);
    goOn(line, added.slice(end + 1));
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

  function search({ maxChars = Number.POSITIVE_INFINITY }: { maxChars?: number } = {}): LineMatches {
    const untilChars = waitingChars - maxChars;
    let count = 0;
    let newest: readonly string[] = [];
    while (waiting.length > 0 && waitingChars > untilChars) {
      const complete = find.inLines(takeWaiting());
      if (complete.type === 'problem') return complete;
      count += complete.count;
      newest = [...newest, ...complete.lines.slice(-maxLines)].slice(-maxLines);
    }
    const unfinished = waiting.length > 0 ? noMatches : searchUnfinished();
    if (unfinished.type === 'problem') return unfinished;
    const lines = [...newest, ...unfinished.lines].slice(-maxLines);
    return { type: 'matches', count: count + unfinished.count, lines };
  }

  function searchUnfinished(): LineMatches {
    const found: string[] = [];
    for (const line of open.values()) {
      if (!line.hasGrown || line.hasCounted) continue;
      line.hasGrown = false;
      const unfinished = find.inLine(toOpenView(line));
      if (unfinished.type === 'problem') return unfinished;
      line.searchedChars = line.text.length;
      line.hasCounted = unfinished.count > 0;
      found.push(...unfinished.lines);
    }
    return toMatches(found);
  }

  return {
    push,
    search,
    get waitingChars() {
      return waitingChars;
    },
    get counted() {
      return [...open].filter(([, { hasCounted }]) => hasCounted).map(([stream]) => stream);
    },
  };
}

/** Where to begin to push so that a line that goes on behind `from` is known from its beginning, up to the longest. */
export function beforeLine({ stdout, stderr, screen }: StreamPositions): StreamPositions {
  const before = (position: number) => Math.max(0, position - longestLine - 1);
  return { stdout: before(stdout), stderr: before(stderr), screen: before(screen) };
}

function openLine(): OpenLine {
  return { ...newLine, decoder: createDecoder() };
}

function passOver(line: OpenLine, bytes: Uint8Array): void {
  const added = line.decoder.push(bytes);
  const end = added.lastIndexOf('\n');
  if (end !== -1) begin(line);
  goOn(line, added.slice(end + 1));
  line.hasGrown = false;
}

const newLine = { text: '', searchedChars: 0, isPlain: true, hasGrown: false, hasCounted: false };

function begin(line: OpenLine): void {
  Object.assign(line, newLine);
}

function goOn(line: OpenLine, added: string): void {
  const text = line.text + added;
  line.text = truncateLine(text);
  line.searchedChars = Math.max(0, line.searchedChars - (text.length - line.text.length));
  line.isPlain &&= !anyControl.test(added);
  line.hasGrown = line.text !== '';
}

/** What is not searched yet, and enough before it. */
function toOpenView({ text, searchedChars, isPlain }: OpenLine): RenderedLine {
  const from = Math.max(0, searchedChars - overlapChars);
  if (from === 0) return toRenderedLine(text);
  if (isPlain) return { text, from };
  const returned = text.slice(0, -1).indexOf('\r', from);
  if (returned === -1) return { text: renderLine(text.slice(from)), from: 1 };
  // Written over from its beginning; if only what is new does that, then over all that stands there.
  const start = returned < searchedChars ? returned + 1 : text.lastIndexOf('\r', from) + 1;
  return start === 0 ? toRenderedLine(text) : { text: renderLine(text.slice(start)), from: 0 };
}
