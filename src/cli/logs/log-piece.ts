import type { TimeBounds } from '../../output/log-times.ts';

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
export interface PieceSieve {
  push(piece: LogPiece): readonly LogPiece[];
  /** What is left when no more comes. */
  end(): readonly LogPiece[];
}
