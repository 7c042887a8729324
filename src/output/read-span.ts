import type { OutputPiece, StreamPositions } from './output-chunk.ts';
import type { ReadOptions } from './output-read.ts';

/** What a read looks at: pieces that follow one another, but for the middle of a long log that is in a file. */
export interface ReadSpan {
  readonly start: StreamPositions;
  readonly end: StreamPositions;
  readonly from: number;
  readonly to: number;
  readonly pieces: readonly OutputPiece[];
  /** Where a middle was left out, what follows it. */
  readonly rest: readonly OutputPiece[] | null;
  /** Bytes of that middle that are still in the file. */
  readonly betweenBytes: number;
  readonly droppedBytes: number;
  readonly reachesEnd: boolean;
  /** Bytes that a search leaves out before what it looks at, or behind it. */
  readonly unsearched: { readonly before: number; readonly behind: number };
  /** Fewer lines than asked for, since they are too long. */
  readonly isCutShort: boolean;
  readonly problem: string | null;
}

export type SpanAsk = ReadOptions & { readonly maxBytes: number };

/** No read shows more of a file, whatever `maxBytes` says: a text is held several times while it is made. */
export const mostBytesOfFile = 64 * 1024 * 1024;
/** Passed over while lines are counted from either end; at some GB/s. */
export const mostCountedBytes = 16 * 1024 * 1024;

export const wholeSpan = {
  rest: null,
  betweenBytes: 0,
  unsearched: { before: 0, behind: 0 },
  isCutShort: false,
  problem: null,
} satisfies Partial<ReadSpan>;

export function droppedIn(pieces: readonly OutputPiece[]): number {
  return pieces.reduce((sum, piece) => sum + (piece.type === 'gap' ? piece.droppedBytes : 0), 0);
}
