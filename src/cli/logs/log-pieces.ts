import type { TimeBounds } from '../../output/log-times.ts';
import { toPlainText } from '../../output/plain-text.ts';

/** Bytes of one stream, as a log prints them. */
export interface LogPiece {
  readonly stream: 'stdout' | 'stderr' | 'screen';
  /** Bytes of all streams before it. */
  readonly offset: number;
  readonly bytes: Uint8Array;
  /** Bytes that are missing right before it. */
  readonly droppedBytes: number;
}

/** When the first byte of a piece came. */
export type TimedPiece = LogPiece & { readonly time: TimeBounds };

/** Takes pieces one after another and gives what is to be printed of each. */
export interface PieceFilter {
  push(piece: LogPiece): readonly LogPiece[];
  /** What is left when no more comes. */
  end(): readonly LogPiece[];
}

const NEWLINE = 10;

/** A longer line is searched, and printed, in parts of this size. */
const longestLineBytes = 64 * 1024 * 1024;

/** The bytes of a line whose end has not come yet, in the pieces in which they came. */
interface OpenLine {
  readonly stream: LogPiece['stream'];
  readonly offset: number;
  readonly parts: Uint8Array[];
  byteLength: number;
}

/**
 * Whole lines that match, with their line feeds. Escape sequences do not count; an unfinished line counts at the end, and so does one
 * whose rest is no longer kept.
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

/** Other streams may have written between the parts of a line: its offset is that of its first byte. */
function cut(piece: LogPiece, { from, to }: { readonly from: number; readonly to: number }): LogPiece {
  const { stream, offset, bytes } = piece;
  return { stream, offset: offset + from, bytes: bytes.subarray(from, to), droppedBytes: 0 };
}
