import { maxBytesPerTurn } from './follow-log.ts';
import { countNewlines } from './newline-count.ts';
import { type OutputPiece, outputStreams, positionAfter, type StreamPositions } from './output-chunk.ts';
import type { OutputLog } from './output-log.ts';
import type { ReadOptions } from './output-read.ts';
import type { OutputStream } from './output-sink.ts';
import { findLine, sliceLines, tailPositions } from './slice-lines.ts';

const beginning: StreamPositions = { stdout: 0, stderr: 0, screen: 0 };

export function findSpan(log: OutputLog, options: SpanOptions): ReadSpan {
  const known = { ...log.positions };
  const total = outputStreams.reduce((sum, stream) => sum + known[stream], 0);
  const { start, isCutShort, asked } = findStart(log, options, total);
  const stream = log.onDisk?.stream;
  if (stream !== undefined && (toStream(options) ?? stream) === stream) {
    const given = { options, stream, start: start[stream], known: known[stream] };
    const found = { start, ...findSpanOnDisk(log, given) };
    const from = isNumber(options.since) && start === asked ? Math.min(options.since, total) : found.from;
    return { ...found, from: Math.min(from, found.to), isCutShort: isCutShort || found.isCutShort };
  }
  return findInMemory(log, { options, start, asked, known, total });
}

function isNumber(since: ReadOptions['since']): since is number {
  return typeof since === 'number';
}

function findStart(log: OutputLog, options: SpanOptions, total: number) {
  const since = options.since === undefined || options.since === 'last' ? beginning : options.since;
  const asked = typeof since === 'number' ? log.positionsAt(Math.min(since, total)) : since;
  if (options.tail === undefined || options.grep !== undefined)
    return { asked, start: asked, isCutShort: false };
  const found = tailPositions(log, {
    ...{ from: asked, lines: options.tail, stream: toStream(options) },
    maxBytes: log.onDisk === null ? Number.POSITIVE_INFINITY : maxCountedBytes,
  });
  return { asked, start: found.positions, isCutShort: found.isCutShort };
}

function toStream({ stream }: ReadOptions) {
  return stream === 'both' ? undefined : stream;
}

function findInMemory(
  log: OutputLog,
  {
    options,
    start,
    asked,
    known,
    total,
  }: {
    options: SpanOptions;
    start: StreamPositions;
    asked: StreamPositions;
    known: StreamPositions;
    total: number;
  },
): ReadSpan {
  const stream = toStream(options);
  const kept = [...log.chunks(start, stream)];
  const limit = options.limit ?? options.lines;
  const pieces =
    options.grep === undefined
      ? sliceLines(kept, { skip: options.offset ?? 0, take: limit ?? Number.POSITIVE_INFINITY })
      : kept;
  const last = pieces.at(-1);
  const reachesEnd = pieces.length === 0 ? (limit ?? 1) > 0 : isSameEnd(last, kept.at(-1));
  const end = { ...start };
  if (reachesEnd) {
    for (const name of stream === undefined ? outputStreams : [stream]) end[name] = known[name];
  } else for (const piece of pieces) end[piece.stream] = Math.max(end[piece.stream], positionAfter(piece));
  const to = reachesEnd ? total : last === undefined ? startOffset(kept[0], total) : endOffset(last);
  const from =
    isNumber(options.since) && start === asked ? Math.min(options.since, total) : startOffset(kept[0], to);
  return { ...wholeSpan, start, end, from, to, pieces, droppedBytes: droppedIn(pieces), reachesEnd };
}

function isSameEnd(a: OutputPiece | undefined, b: OutputPiece | undefined): boolean {
  return a !== undefined && b !== undefined && endOffset(a) === endOffset(b);
}

function endOffset(piece: OutputPiece): number {
  return piece.type === 'gap' ? piece.to : piece.offset + piece.bytes.byteLength;
}

function startOffset(piece: OutputPiece | undefined, whenNone: number): number {
  if (piece === undefined) return whenNone;
  return piece.type === 'gap' ? piece.from : piece.offset;
}

/** The pieces of output that a read covers: contiguous, except for the skipped middle of a long log on disk. */
export interface ReadSpan {
  readonly start: StreamPositions;
  readonly end: StreamPositions;
  readonly from: number;
  readonly to: number;
  readonly pieces: readonly OutputPiece[];
  /** The pieces after the skipped middle; `null` if no middle was skipped. */
  readonly rest: readonly OutputPiece[] | null;
  /** Bytes of the skipped middle that are still in the file. */
  readonly betweenBytes: number;
  readonly droppedBytes: number;
  readonly reachesEnd: boolean;
  /** Bytes that a search leaves out before and after the range it covers. */
  readonly unsearched: { readonly before: number; readonly behind: number };
  /** The read has fewer lines than requested because they are too long. */
  readonly isCutShort: boolean;
  readonly problem: string | null;
}

type SpanOptions = ReadOptions & { readonly maxBytes: number };

/**
 * Upper bound of a read from disk, regardless of `maxBytes`: the text is held several times while it is
 * built.
 */
export const maxFileReadBytes = 64 * 1024 * 1024;
/** Bytes skipped while lines are counted from either end, at some GB/s. */
const maxCountedBytes = 16 * 1024 * 1024;

const wholeSpan = {
  rest: null,
  betweenBytes: 0,
  unsearched: { before: 0, behind: 0 },
  isCutShort: false,
  problem: null,
} satisfies Partial<ReadSpan>;

export function droppedIn(pieces: readonly OutputPiece[]): number {
  return pieces.reduce((sum, piece) => sum + (piece.type === 'gap' ? piece.droppedBytes : 0), 0);
}

/** Minimum read from either end of a file of which only head and tail are shown: folded lines become shorter. */
const minHeadBytes = 256 * 1024;
const minTailBytes = 512 * 1024;
/** Bytes searched line by line. */
const maxSearchedBytes = maxBytesPerTurn;

interface DiskSpanOptions {
  readonly options: SpanOptions;
  readonly stream: OutputStream;
  readonly start: number;
  readonly known: number;
}

type DiskSpan = Omit<ReadSpan, 'start'>;

/** Selects from a log on disk, which has a single stream, so that positions are offsets. */
function findSpanOnDisk(log: OutputLog, ask: DiskSpanOptions): DiskSpan {
  const { options } = ask;
  if (ask.start >= ask.known) return toSpan(ask, { pieces: [], to: ask.known });
  if (options.grep !== undefined) return findSearched(log, ask);
  if ((options.limit ?? options.lines) !== undefined || (options.offset ?? 0) > 0) return findPage(log, ask);
  return findEnds(log, ask, ask.start);
}

/** Selects the whole range, or its two ends. */
function findEnds(log: OutputLog, ask: DiskSpanOptions, from: number): DiskSpan {
  const { known, options } = ask;
  const tailBytes = Math.max(minTailBytes, options.maxBytes);
  const headBytes = Math.max(minHeadBytes, Math.ceil(options.maxBytes / 4));
  // A gap that reaches into either end belongs to it as a whole, so that it is reported once with all that is
  // missing.
  const headEnd = log.onDisk?.gapAt(from + headBytes)?.to ?? from + headBytes;
  const restStart = log.onDisk?.gapAt(known - tailBytes)?.from ?? known - tailBytes;
  if (restStart <= headEnd) {
    const pieces = collect(log, { from, to: known });
    return pieces === null ? toProblem(log, ask) : toSpan(ask, { pieces, to: known });
  }
  const pieces = collect(log, { from, to: headEnd });
  const rest = collect(log, { from: restStart, to: known });
  if (pieces === null || rest === null) return toProblem(log, ask);
  const droppedBetween = log.onDisk?.droppedBytesBetween(headEnd, restStart) ?? 0;
  const span = toSpan(ask, { pieces, to: known });
  return {
    ...span,
    rest,
    betweenBytes: restStart - headEnd - droppedBetween,
    droppedBytes: span.droppedBytes + droppedBetween + droppedIn(rest),
  };
}

/** Selects lines from the start; a page that is too long ends early, and the next one continues there. */
function findPage(log: OutputLog, ask: DiskSpanOptions): DiskSpan {
  const { options, known } = ask;
  const skip = options.offset ?? 0;
  const take = options.limit ?? options.lines ?? Number.POSITIVE_INFINITY;
  const first = findLine(log.chunks(toPositions(ask.stream, ask.start)), {
    skip,
    maxBytes: maxCountedBytes,
  });
  if (first.type === 'too-far') {
    const problem = `the first ${skip} lines are more than ${maxCountedBytes} bytes, which is too much to skip in one read: start further on, with \`since\``;
    return { ...toProblem(log, ask), problem };
  }
  const from = first.type === 'found' ? Math.max(ask.start, first.position) : known;
  if (first.type === 'not-there' && log.onDisk?.readError !== null) return toProblem(log, ask);
  if (take === Number.POSITIVE_INFINITY) return findEnds(log, ask, from);
  const to = Math.min(known, from + Math.max(minHeadBytes + minTailBytes, options.maxBytes));
  const kept = take === 0 ? [] : collectLines(log, { from, to, take });
  if (kept === null) return toProblem(log, ask);
  const pieces = sliceLines(kept, { skip: 0, take });
  const last = pieces.at(-1);
  const reached = last === undefined ? (take === 0 ? ask.start : known) : positionAfter(last);
  const isCutShort = to < known && reached === to && countLines(pieces) < take;
  return { ...toSpan(ask, { pieces, to: reached }), isCutShort };
}

function findSearched(log: OutputLog, ask: DiskSpanOptions): DiskSpan {
  const { start, known, options } = ask;
  const isNewest = options.since === undefined;
  const from = isNewest ? Math.max(start, known - maxSearchedBytes) : start;
  const to = Math.min(known, from + maxSearchedBytes);
  const found = collect(log, { from, to });
  if (found === null) return toProblem(log, ask);
  const pieces = to < known ? untilLastLine(found) : found;
  const last = pieces.at(-1);
  const reached = last === undefined || to === known ? to : positionAfter(last);
  const unsearched = { before: from - start, behind: known - reached };
  return { ...toSpan(ask, { pieces, to: reached }), unsearched };
}

function toSpan(
  { start, known, stream }: DiskSpanOptions,
  { pieces, to }: { pieces: readonly OutputPiece[]; to: number },
): DiskSpan {
  const reachesEnd = to >= known;
  const droppedBytes = droppedIn(pieces);
  return { ...wholeSpan, end: toPositions(stream, to), from: start, to, pieces, droppedBytes, reachesEnd };
}

function toProblem(log: OutputLog, ask: DiskSpanOptions): DiskSpan {
  const problem = `the log file cannot be read now: ${log.onDisk?.readError ?? 'it has changed meanwhile'}`;
  return { ...toSpan(ask, { pieces: [], to: ask.start }), reachesEnd: false, problem };
}

function toPositions(stream: OutputStream, offset: number): StreamPositions {
  return { stdout: 0, stderr: 0, screen: 0, [stream]: offset };
}

/** Returns `null` if the range cannot be read up to `to`. */
function collect(log: OutputLog, { from, to }: { from: number; to: number }): OutputPiece[] | null {
  return collectLines(log, { from, to, take: Number.POSITIVE_INFINITY });
}

/** Reads no more than `take` lines need. */
function collectLines(
  log: OutputLog,
  { from, to, take }: { from: number; to: number; take: number },
): OutputPiece[] | null {
  const pieces: OutputPiece[] = [];
  let lines = 0;
  let reached = from;
  while (reached < to && lines < take) {
    const before = reached;
    for (const piece of log.chunks(toPositions(log.onDisk?.stream ?? 'stdout', reached))) {
      const whole = cutAt(piece, to);
      pieces.push(whole);
      reached = positionAfter(whole);
      if (Number.isFinite(take)) lines += countLines([whole]);
      if (reached >= to || lines >= take) return pieces;
    }
    if (reached === before) return null;
  }
  return pieces;
}

function cutAt(piece: OutputPiece, to: number): OutputPiece {
  if (positionAfter(piece) <= to) return piece;
  if (piece.type === 'gap') return { ...piece, to, droppedBytes: to - piece.position };
  return { ...piece, bytes: piece.bytes.subarray(0, to - piece.position) };
}

function countLines(pieces: readonly OutputPiece[]): number {
  return pieces.reduce((sum, piece) => sum + (piece.type === 'chunk' ? countNewlines(piece.bytes) : 0), 0);
}

/** Cuts the pieces after the last line break; returns all of them if there is none. */
function untilLastLine(pieces: readonly OutputPiece[]): readonly OutputPiece[] {
  for (let index = pieces.length - 1; index >= 0; index -= 1) {
    const piece = pieces[index];
    const end = piece?.type === 'chunk' ? piece.bytes.lastIndexOf(newline) : -1;
    if (piece !== undefined && end !== -1)
      return [...pieces.slice(0, index), cutAt(piece, piece.position + end + 1)];
  }
  return pieces;
}

const newline = 10;
