import type { OutputPiece } from './output-chunk.ts';

/** Piece of followed output. */
export interface FollowedText {
  readonly stream: 'stdout' | 'stderr' | 'screen';
  readonly bytes: Uint8Array;
  /** Bytes of all streams before it: the position to resume from after a lost connection. */
  readonly offset: number;
  /** Bytes missing directly before it. A gap is delivered alone, without bytes, as soon as it is known. */
  readonly droppedBytes: number;
}

/** Returns a chunk or a gap as a piece of followed output. */
export function toFollowedText(piece: OutputPiece): FollowedText {
  const { stream } = piece;
  return piece.type === 'chunk'
    ? { stream, bytes: piece.bytes, offset: piece.offset, droppedBytes: 0 }
    : { stream, bytes: new Uint8Array(), offset: piece.to, droppedBytes: piece.droppedBytes };
}
