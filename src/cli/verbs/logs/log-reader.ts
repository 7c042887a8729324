import { findAfter, findSince, type OutputTimes, type TimeBounds } from '../../../output/output-times.ts';
import { toPlainText } from '../../../output/plain-text.ts';
import type { ProcessView } from '../../../process/process-view.ts';
import type { StateDirectory } from '../../../state-directory/state-directory.ts';
import { type CliIo, printNote } from '../../cli-io.ts';
import { readTimes } from './line-times.ts';
import type { LogQuery } from './log-query.ts';

/** Consecutive bytes of one stream. */
export interface LogPiece {
  readonly stream: 'stdout' | 'stderr' | 'screen';
  /** Position in bytes of all streams. */
  readonly offset: number;
  readonly bytes: Uint8Array;
  /** Bytes missing right before it. */
  readonly droppedBytes: number;
}

/** Piece with the time of its first byte. */
export type TimedPiece = LogPiece & { readonly time: TimeBounds };

/** Selects the pieces to print. */
export interface PieceFilter {
  push(piece: LogPiece): readonly LogPiece[];
  /** Returns the rest after the last piece. */
  end(): readonly LogPiece[];
}

const NEWLINE = 10;

/** Longer lines are searched and printed in parts of this size. */
const longestLineBytes = 64 * 1024 * 1024;

/** Pieces of an unfinished line. */
interface OpenLine {
  readonly stream: LogPiece['stream'];
  readonly offset: number;
  readonly parts: Uint8Array[];
  byteLength: number;
}

/**
 * Selects whole lines that match, ignoring escape sequences. An unfinished line counts at the end, and so does one whose rest was
 * dropped.
 */
export function createMatchingLines(pattern: RegExp): PieceFilter {
  const open = new Map<LogPiece['stream'], OpenLine>();

  const push = (piece: LogPiece): readonly LogPiece[] => {
    const torn = piece.droppedBytes > 0 ? take(piece.stream) : [];
    const lines: LogPiece[] = [];
    let from = 0;
    for (let end = piece.bytes.indexOf(NEWLINE); end !== -1; end = piece.bytes.indexOf(NEWLINE, from)) {
      lines.push(finish(cut(piece, { from, to: end + 1 })));
      from = end + 1;
    }
    if (from < piece.bytes.byteLength) {
      const rest = cut(piece, { from, to: piece.bytes.byteLength });
      if (add(rest).byteLength >= longestLineBytes) lines.push(...take(piece.stream));
    }
    return [...torn, ...lines].filter(isMatch);
  };

  const add = (piece: LogPiece): OpenLine => {
    const { stream, offset, bytes } = piece;
    const line = open.get(stream) ?? { stream, offset, parts: [], byteLength: 0 };
    open.set(stream, line);
    line.parts.push(bytes);
    line.byteLength += bytes.byteLength;
    return line;
  };

  const finish = (end: LogPiece): LogPiece => {
    if (!open.has(end.stream)) return end;
    add(end);
    return take(end.stream)[0] ?? end;
  };

  const take = (stream: LogPiece['stream']): readonly LogPiece[] => {
    const line = open.get(stream);
    open.delete(stream);
    return line === undefined ? [] : [{ ...line, bytes: Buffer.concat(line.parts), droppedBytes: 0 }];
  };

  const takeAll = (): readonly LogPiece[] =>
    [...open.keys()]
      .flatMap(take)
      .sort((a, b) => a.offset - b.offset)
      .filter(isMatch);

  const isMatch = ({ bytes }: LogPiece) => pattern.test(toPlainText(toText(bytes).trimEnd()));

  return { push, end: takeAll };
}

function toText({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString();
}

/** Returns a part of a piece. The offset of a line is that of its first byte, because other streams may write in between. */
function cut(piece: LogPiece, { from, to }: { readonly from: number; readonly to: number }): LogPiece {
  const { stream, offset, bytes } = piece;
  return { stream, offset: offset + from, bytes: bytes.subarray(from, to), droppedBytes: 0 };
}

export interface Source {
  readonly state: StateDirectory;
  readonly view: ProcessView;
}

/** Offsets of the existing output to print. */
export interface LogRange {
  readonly from: number;
  readonly to: number;
  /** Length of all existing output. */
  readonly length: number;
  readonly problem: string | null;
}

export const noTimes: OutputTimes = { marks: [], lastAt: null };

export function describeUnknownTimes({ id }: ProcessView): string {
  return `the times of the output of ${id} are unknown: its log has no index of times`;
}

/** Finds the range to read. A search for lines has to read all of them, however few are shown. */
export async function findRange(
  { state, view }: Source,
  { tail, since, until, stream, pattern }: LogQuery,
): Promise<LogRange> {
  const isTimed = since.type === 'time' || until?.type === 'time';
  const known = isTimed ? await readTimes(state, view.id) : noTimes;
  const looksAtAll = tail === null || pattern !== null;
  const start = since.type === 'offset' ? since.offset : findSince(known, since.at);
  const {
    from,
    to: length,
    problem,
  } = await state.read(view.id, {
    since: start ?? 0,
    format: 'raw',
    maxBytes: 1,
    tail: looksAtAll ? 0 : tail,
    ...(stream !== null && !looksAtAll && { stream }),
  });
  if (problem === null && isTimed && known.marks.length === 0 && length > 0) {
    const hint = '--since and --until still accept offsets in bytes, as --json prints them';
    return { from: 0, to: 0, length, problem: `${describeUnknownTimes(view)}; ${hint}` };
  }
  const end = until?.type === 'time' ? findAfter(known, until.at) : (until?.offset ?? null);
  const to = Math.min(length, end ?? length);
  return { from: start === null ? length : looksAtAll ? start : from, to, length, problem };
}

/** Yields the existing output in the range, and with `follows` new output. */
export async function* readPieces(
  { state, view: { id } }: Source,
  { order, span, io, signal }: { order: LogQuery; span: LogRange; io: CliIo; signal: AbortSignal },
): AsyncGenerator<LogPiece> {
  if (!order.follows && span.from >= span.to) return;
  for await (const { stream, offset, bytes, droppedBytes } of state.follow(id, { from: span.from, signal })) {
    if (droppedBytes > 0) printNote(io, `${droppedBytes} bytes before offset ${offset} are no longer kept.`);
    const left = order.follows ? bytes.byteLength : span.to - offset;
    const piece = { stream, offset, droppedBytes, bytes: bytes.subarray(0, Math.max(0, left)) };
    if (piece.bytes.byteLength > 0 || droppedBytes > 0) yield piece;
    if (!order.follows && offset + bytes.byteLength >= span.to) return;
  }
}

/** Creates the filter of a query; of the existing matching lines only the last ones pass. */
export function createFilter({ pattern, tail, stream, showsTimes }: LogQuery, span: LogRange): PieceFilter {
  const isWanted = (piece: LogPiece) => stream === null || piece.stream === stream;
  if (pattern === null && !showsTimes)
    return { push: (piece) => (isWanted(piece) ? [piece] : []), end: () => [] };
  const matching = createMatchingLines(pattern ?? everyLine);
  const holds = pattern !== null && tail !== null && span.from < span.to;
  let held: LogPiece[] | null = holds ? [] : null;

  /** Holds lines back until it is certain that they are the last ones. */
  const pass = (
    lines: readonly LogPiece[],
    { isLast }: { readonly isLast: boolean },
  ): readonly LogPiece[] => {
    if (held === null || tail === null) return lines;
    held.push(...lines);
    held.splice(0, Math.max(0, held.length - tail));
    if (!isLast) return [];
    const last = held;
    held = null;
    return last;
  };

  return {
    push: (piece) => {
      const isLast = piece.offset + piece.bytes.byteLength >= span.to;
      return pass(isWanted(piece) ? matching.push(piece) : [], { isLast });
    },
    end: () => pass(matching.end(), { isLast: true }),
  };
}

export const everyLine = /(?:)/u;
