import type { OutputStream } from './output-sink.ts';

/** Bytes as they arrived, with secrets replaced; in a log that its process writes itself, masked in place. */
export interface OutputChunk {
  readonly type: 'chunk';
  readonly stream: OutputStream;
  /** Bytes of all streams before this chunk, in order of arrival; never shifts. */
  readonly offset: number;
  /** Bytes of the same stream before this chunk. */
  readonly position: number;
  /** Shared with the log: do not modify. */
  readonly bytes: Uint8Array;
  /** Arrival time of its first byte on the monotonic clock of the supervisor (`Clock.nowMs`); lines have the time of day. */
  readonly atMs: number;
  /** Written by leftovers after the process had ended. */
  readonly afterEnd: boolean;
}

/** Bytes of one stream that are no longer kept. */
export interface OutputGap {
  readonly type: 'gap';
  readonly stream: OutputStream;
  /** Offsets between which the bytes arrived; other streams may have written in between. */
  readonly from: number;
  readonly to: number;
  /** Bytes of the same stream before the gap. */
  readonly position: number;
  readonly droppedBytes: number;
}

export type OutputPiece = OutputChunk | OutputGap;

/** A position in each stream, in bytes of that stream. */
export type StreamPositions = Readonly<Record<OutputStream, number>>;

export const outputStreams: readonly OutputStream[] = ['stdout', 'stderr', 'screen'];

/** Returns the end of a chunk or gap, where reading its stream continues. */
export function positionAfter(piece: OutputPiece): number {
  return piece.position + (piece.type === 'gap' ? piece.droppedBytes : piece.bytes.byteLength);
}

/** Yields at most this many of the first items, and takes no more from the source. */
export function* takeFirst<Item>(items: Iterable<Item>, count: number): Generator<Item, void> {
  let left = count;
  for (const item of items) {
    yield item;
    left -= 1;
    if (left === 0) return;
  }
}
