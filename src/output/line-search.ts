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

/** Characters searched within one time box: creating one costs as much as searching thousands of short lines. */
const maxCharsAtOnce = 128 * 1024;

/** Characters before new output in which a match in an unfinished line may begin. */
const overlapChars = 4096;

/**
 * Finds lines, rendered as on a terminal, in incoming output, per stream and regardless of chunk boundaries.
 * Each line counts once: a line that matched while unfinished, such as a prompt, does not count again when it
 * continues. In an unfinished line only new characters and the 4,096 before them are searched; longer matches
 * count when the line is complete. Of lines beyond 64 Ki characters the newest characters are searched.
 */
interface LineSearch {
  push(piece: OutputPiece): void;
  /** Characters of complete lines that are pushed but not searched yet. */
  readonly waitingChars: number;
  /** Streams whose unfinished line has already counted, for a search that continues from here. */
  readonly counted: readonly OutputStream[];
  /**
   * Searches what was pushed since the last call, or little more than `maxChars` of it; unfinished lines only
   * once no complete ones wait.
   */
  search(options?: { readonly maxChars?: number }): LineMatches;
}

interface OpenLine {
  readonly decoder: Decoder;
  /** The unfinished line, with one extra character if its beginning was cut off. */
  text: string;
  searchedChars: number;
  /** True while nothing in the line moves the cursor. */
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
    /** Maximum number of lines returned by one search. */
    readonly maxLines: number;
    /**
     * The place after which lines count, including a line that continues across it. The caller pushes the
     * output from `beforeLine(from)` on, so that this line is known from its beginning. Default: everything
     * counts.
     */
    readonly from?: StreamPositions | number;
    /** Streams whose line across `from` has counted before and must not count again. Default: none. */
    readonly counted?: readonly OutputStream[];
  },
): LineSearch {
  const open = new Map<OutputStream, OpenLine>();
  const waiting = new WaitingText();
  const find = createLineFinder(wanted, maxLines);

  function push(piece: OutputPiece): void {
    const { stream } = piece;
    if (piece.type === 'gap') return void open.delete(stream);
    const { bytes } = piece;
    const before = typeof from === 'number' ? from - piece.offset : from[stream] - piece.position;
    // A line that continues across `from` cannot begin this far before it, so most of a long log is skipped.
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
    waiting.add(
      line.hasCounted ? added.slice(added.indexOf('\n') + 1, end) : line.text + added.slice(0, end),
    );
    begin(line);
    goOn(line, added.slice(end + 1));
  }

  function search({ maxChars = Number.POSITIVE_INFINITY }: { maxChars?: number } = {}): LineMatches {
    const untilChars = waiting.chars - maxChars;
    let count = 0;
    let newest: readonly string[] = [];
    while (!waiting.isEmpty && waiting.chars > untilChars) {
      const complete = find.inLines(waiting.take());
      if (complete.type === 'problem') return complete;
      count += complete.count;
      newest = [...newest, ...complete.lines.slice(-maxLines)].slice(-maxLines);
    }
    const unfinished = !waiting.isEmpty ? noMatches : searchUnfinished();
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
      return waiting.chars;
    },
    get counted() {
      return [...open].filter(([, { hasCounted }]) => hasCounted).map(([stream]) => stream);
    },
  };
}

/** Complete lines that wait for a search, many in one text. */
class WaitingText {
  readonly #texts: string[] = [];
  #chars = 0;

  get chars(): number {
    return this.#chars;
  }

  get isEmpty(): boolean {
    return this.#texts.length === 0;
  }

  add(lines: string): void {
    for (let from = 0; from < lines.length; ) {
      const end = lines.indexOf('\n', from + maxCharsAtOnce);
      const part = lines.slice(from, end === -1 ? undefined : end);
      this.#texts.push(part);
      this.#chars += part.length;
      from += part.length + 1;
    }
  }

  /** Removes and returns the oldest lines, some `maxCharsAtOnce` characters of them. */
  take(): string {
    let count = 0;
    let chars = 0;
    while (count < this.#texts.length && chars < maxCharsAtOnce) {
      chars += this.#texts[count]?.length ?? 0;
      count += 1;
    }
    this.#chars -= chars;
    return this.#texts.splice(0, count).join('\n');
  }
}

/**
 * Returns the positions to push from, so that a line that continues across `from` is known from its
 * beginning.
 */
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

/** Returns the unsearched part of a line with enough text before it. */
function toOpenView({ text, searchedChars, isPlain }: OpenLine): RenderedLine {
  const from = Math.max(0, searchedChars - overlapChars);
  if (from === 0) return toRenderedLine(text);
  if (isPlain) return { text, from };
  const returned = text.slice(0, -1).indexOf('\r', from);
  if (returned === -1) return { text: renderLine(text.slice(from)), from: 1 };
  // The line was overwritten from its beginning; if only the new part does that, it overwrites the text
  // before.
  const start = returned < searchedChars ? returned + 1 : text.lastIndexOf('\r', from) + 1;
  return start === 0 ? toRenderedLine(text) : { text: renderLine(text.slice(start)), from: 0 };
}
