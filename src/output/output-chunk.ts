import type { OutputStream } from './output-sink.ts';

/** Bytes as they arrived, with secrets replaced, or in a log that its process writes itself covered byte by byte. */
export interface OutputChunk {
  readonly type: 'chunk';
  readonly stream: OutputStream;
  /** Bytes of all streams before this chunk, in order of arrival; it never shifts. */
  readonly offset: number;
  /** Bytes of its own stream before this chunk. */
  readonly position: number;
  /** Shared with the log: read, never write. */
  readonly bytes: Uint8Array;
  /** `nowMs` when its first byte arrived. */
  readonly atMs: number;
  /** Written by what the process left behind, after it had ended. */
  readonly afterEnd: boolean;
}

/** Bytes of one stream that are no longer kept. */
export interface OutputGap {
  readonly type: 'gap';
  readonly stream: OutputStream;
  /** The offsets between which they arrived; other streams may have written in between. */
  readonly from: number;
  readonly to: number;
  /** Bytes of its own stream before the gap. */
  readonly position: number;
  readonly droppedBytes: number;
}

export type OutputPiece = OutputChunk | OutputGap;

/** How far one has come in each stream, in bytes of that stream. */
export type StreamPositions = Readonly<Record<OutputStream, number>>;

export const outputStreams: readonly OutputStream[] = ['stdout', 'stderr', 'screen'];

/** The end of a chunk or gap: where reading its stream goes on. */
export function positionAfter(piece: OutputPiece): number {
  return piece.position + (piece.type === 'gap' ? piece.droppedBytes : piece.bytes.byteLength);
}
