import { maxBytesPerTurn } from './follow-log.ts';
import { countNewlines } from './newline-count.ts';
import { type OutputPiece, positionAfter, type StreamPositions } from './output-chunk.ts';
import { toStreams } from './output-holds.ts';
import type { OutputLog } from './output-log.ts';
import type { ReadOptions } from './output-read.ts';
import type { OutputStream } from './output-sink.ts';
import type { DiskAccess } from './output-store.ts';
import { skipLines, tailPositions, takeLines } from './slice-lines.ts';

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
/** Bytes skipped while lines are counted from either end of a file. */
const maxCountedBytes = 16 * 1024 * 1024;
/** Minimum read from either end of a file that is shown in part. It exceeds the reply, because folded lines become shorter. */
const minHeadBytes = 256 * 1024;
const minTailBytes = 512 * 1024;
/** Bytes of a file searched line by line. */
const maxSearchedBytes = maxBytesPerTurn;

const beginning: StreamPositions = { stdout: 0, stderr: 0, screen: 0 };

/** Request for output, and the size of the log. */
interface Ask {
  readonly log: OutputLog;
  readonly options: SpanOptions;
  readonly stream: OutputStream | undefined;
  /** `null` for a log in memory, of which everything can be examined. */
  readonly disk: DiskAccess | null;
  readonly start: StreamPositions;
  readonly known: StreamPositions;
}

/** Output selected for a read. */
type Selection = Omit<ReadSpan, 'start' | 'end' | 'from' | 'to'>;

const whole = {
  rest: null,
  betweenBytes: 0,
  reachesEnd: true,
  unsearched: { before: 0, behind: 0 },
  isCutShort: false,
  problem: null,
} satisfies Partial<Selection>;

/** Selects the pieces of output for a read. From a log on disk it selects no more than can be shown. */
export function findSpan(log: OutputLog, options: SpanOptions): ReadSpan {
  const known = { ...log.positions };
  const total = known.stdout + known.stderr + known.screen;
  const since = options.since === undefined || options.since === 'last' ? beginning : options.since;
  const asked = typeof since === 'number' ? log.positionsAt(Math.min(since, total)) : since;
  const stream = options.stream === 'both' ? undefined : options.stream;
  const disk = log.onDisk;
  const tail =
    options.tail === undefined || options.grep !== undefined
      ? { positions: asked, isCutShort: false }
      : tailPositions(log, {
          ...{ from: asked, lines: options.tail, stream },
          maxBytes: disk === null ? Number.POSITIVE_INFINITY : maxCountedBytes,
        });
  const start = tail.positions;
  const ask = { log, options, stream, disk, start, known };
  const selection = select(ask);
  const last = (selection.rest ?? selection.pieces).at(-1);
  const first = startOffset(ask, total);
  const to = selection.reachesEnd ? total : last === undefined ? first : endOffset(last);
  const from = typeof since === 'number' && start === asked ? Math.min(since, total) : first;
  const isCutShort = tail.isCutShort || selection.isCutShort;
  return { ...selection, start, end: findEnd(ask, selection), from: Math.min(from, to), to, isCutShort };
}

function select(ask: Ask): Selection {
  const { options, start, known } = ask;
  if (!isBehind(ask, start, known)) return { ...whole, pieces: [], droppedBytes: 0 };
  if (options.grep !== undefined) return selectSearched(ask);
  if ((options.limit ?? options.lines) !== undefined || (options.offset ?? 0) > 0) return selectPage(ask);
  return selectEnds(ask, start);
}

/** Selects the whole range, or the two ends of a long one on disk. */
function selectEnds(ask: Ask, from: StreamPositions): Selection {
  const { disk, known, options } = ask;
  const ends = disk === null ? null : findEnds(disk, { from, known, maxBytes: options.maxBytes });
  const pieces = collect(ask, { from, to: ends?.headEnd ?? known });
  const rest = ends === null ? null : collect(ask, { from: ends.restStart, to: known });
  if (pieces === null || (ends !== null && rest === null)) return toProblem(ask);
  if (disk === null || ends === null || rest === null) return toSelection(pieces);
  const [headEnd, restStart] = [ends.headEnd[disk.stream], ends.restStart[disk.stream]];
  const droppedBetween = disk.droppedBytesBetween(headEnd, restStart);
  const droppedBytes = droppedIn(pieces) + droppedBetween + droppedIn(rest);
  return { ...whole, pieces, rest, betweenBytes: restStart - headEnd - droppedBetween, droppedBytes };
}

/**
 * Returns the end of the head and the beginning of the tail; `null` if they meet. A gap that reaches into either end belongs to that end
 * completely, so that the reader gets one gap with its full size.
 */
function findEnds(
  disk: DiskAccess,
  { from, known, maxBytes }: { from: StreamPositions; known: StreamPositions; maxBytes: number },
): { readonly headEnd: StreamPositions; readonly restStart: StreamPositions } | null {
  const head = from[disk.stream] + Math.max(minHeadBytes, Math.ceil(maxBytes / 4));
  const tail = known[disk.stream] - Math.max(minTailBytes, maxBytes);
  const headEnd = disk.gapAt(head)?.to ?? head;
  const restStart = disk.gapAt(tail)?.from ?? tail;
  if (restStart <= headEnd) return null;
  return {
    headEnd: { ...beginning, [disk.stream]: headEnd },
    restStart: { ...beginning, [disk.stream]: restStart },
  };
}

/** Selects lines from the start; a page on disk that is too long ends early, and the next one continues there. */
function selectPage(ask: Ask): Selection {
  const { log, disk, options, start, known, stream } = ask;
  const skip = options.offset ?? 0;
  const take = options.limit ?? options.lines ?? Number.POSITIVE_INFINITY;
  const maxBytes = disk === null ? Number.POSITIVE_INFINITY : maxCountedBytes;
  const first = skipLines(log.chunks(start, stream), { skip, maxBytes, from: start });
  if (first.type === 'too-far') {
    const problem = `the first ${skip} lines are more than ${maxCountedBytes} bytes, which is too much to skip in one read: start further on, with \`since\``;
    return { ...toProblem(ask), problem };
  }
  if (first.type === 'not-there' && disk !== null && disk.readError !== null) return toProblem(ask);
  const from = first.type === 'found' ? first.positions : known;
  if (take === Number.POSITIVE_INFINITY) return selectEnds(ask, from);
  const to = advance(ask, from, Math.max(minHeadBytes + minTailBytes, options.maxBytes));
  const kept = take === 0 ? [] : collect(ask, { from, to, take });
  if (kept === null) return toProblem(ask);
  const pieces = takeLines(kept, take);
  const reached = positionsAfter(from, pieces);
  const isCutShort = isBehind(ask, to, known) && !isBehind(ask, reached, to) && countLines(pieces) < take;
  return { ...toSelection(pieces), reachesEnd: take > 0 && !isBehind(ask, reached, known), isCutShort };
}

/** Selects the output to search. From a log on disk it selects the newest part, or the next part after `since`. */
function selectSearched(ask: Ask): Selection {
  const { disk, start, known, options } = ask;
  if (disk === null) return selectEnds(ask, start);
  const [begin, end] = [start[disk.stream], known[disk.stream]];
  const from = options.since === undefined ? Math.max(begin, end - maxSearchedBytes) : begin;
  const searched = { ...start, [disk.stream]: from };
  const to = advance(ask, searched, maxSearchedBytes);
  const found = collect(ask, { from: searched, to });
  if (found === null) return toProblem(ask);
  const pieces = to[disk.stream] < end ? untilLastLine(found) : found;
  const reached = positionsAfter(searched, pieces)[disk.stream];
  const unsearched = { before: from - begin, behind: end - reached };
  return { ...toSelection(pieces), reachesEnd: reached >= end, unsearched };
}

function toSelection(pieces: readonly OutputPiece[]): Selection {
  return { ...whole, pieces, droppedBytes: droppedIn(pieces) };
}

function toProblem({ disk }: Ask): Selection {
  const problem = `the log file cannot be read now: ${disk?.readError ?? 'it has changed meanwhile'}`;
  return { ...toSelection([]), reachesEnd: false, problem };
}

/** Reads a range, and no more than `take` lines need. Returns `null` if the range cannot be read up to `to`. */
function collect(
  ask: Ask,
  {
    from,
    to,
    take = Number.POSITIVE_INFINITY,
  }: { from: StreamPositions; to: StreamPositions; take?: number },
): OutputPiece[] | null {
  const pieces: OutputPiece[] = [];
  const reached = { ...from };
  let lines = 0;
  while (isBehind(ask, reached, to)) {
    const before = pieces.length;
    for (const piece of ask.log.chunks({ ...reached }, ask.stream)) {
      const kept = cutAt(piece, to[piece.stream]);
      pieces.push(kept);
      reached[piece.stream] = positionAfter(kept);
      if (Number.isFinite(take)) lines += countLines([kept]);
      if (lines >= take || !isBehind(ask, reached, to)) return pieces;
    }
    if (ask.disk === null) return pieces;
    if (pieces.length === before) return null;
  }
  return pieces;
}

/** Returns true if a stream has more up to `to`. */
function isBehind({ stream }: Ask, reached: StreamPositions, to: StreamPositions): boolean {
  return toStreams(stream).some((each) => reached[each] < to[each]);
}

/** Returns the positions after so many more bytes of a log on disk, or the end of a log in memory. */
function advance({ disk, known }: Ask, from: StreamPositions, bytes: number): StreamPositions {
  if (disk === null) return known;
  return { ...known, [disk.stream]: Math.min(known[disk.stream], from[disk.stream] + bytes) };
}

function positionsAfter(from: StreamPositions, pieces: readonly OutputPiece[]): StreamPositions {
  const reached = { ...from };
  for (const piece of pieces) reached[piece.stream] = Math.max(reached[piece.stream], positionAfter(piece));
  return reached;
}

function findEnd({ start, known, stream }: Ask, { pieces, reachesEnd }: Selection): StreamPositions {
  if (!reachesEnd) return positionsAfter(start, pieces);
  return { ...start, ...Object.fromEntries(toStreams(stream).map((each) => [each, known[each]])) };
}

/** Returns the offset of the first byte to read; `total` if there is none. */
function startOffset(ask: Ask, total: number): number {
  const { log, disk, start, stream } = ask;
  if (!isBehind(ask, start, ask.known)) return total;
  if (disk !== null) return start[disk.stream];
  const [first] = log.chunks(start, stream);
  if (first === undefined) return total;
  return first.type === 'gap' ? first.from : first.offset;
}

function endOffset(piece: OutputPiece): number {
  return piece.type === 'gap' ? piece.to : piece.offset + piece.bytes.byteLength;
}

export function droppedIn(pieces: readonly OutputPiece[]): number {
  return pieces.reduce((sum, piece) => sum + (piece.type === 'gap' ? piece.droppedBytes : 0), 0);
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
