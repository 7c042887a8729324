import * as fc from 'fast-check';
import type { OutputPiece } from '../../src/output/output-chunk.ts';
import type { OutputLog } from '../../src/output/output-log.ts';
import type { OutputStream } from '../../src/output/output-sink.ts';
import { createVirtualClock } from '../../src/testing/virtual-clock.ts';
import { createMemoryLog, type MemoryLogOptions } from '../support/output-logs.ts';

export function createTestLog(options: Partial<MemoryLogOptions> = {}): OutputLog {
  return createMemoryLog({
    clock: createVirtualClock(),
    maxBufferBytes: 1024 * 1024,
    headBytes: 64 * 1024,
    ...options,
  });
}

export function bytesOf(pieces: Iterable<OutputPiece>): Buffer {
  return Buffer.concat([...pieces].flatMap((piece) => (piece.type === 'chunk' ? [piece.bytes] : [])));
}

export function droppedIn(pieces: Iterable<OutputPiece>): number {
  return [...pieces].reduce((sum, piece) => sum + (piece.type === 'gap' ? piece.droppedBytes : 0), 0);
}

export interface Write {
  readonly stream: OutputStream;
  readonly bytes: Buffer;
}

/** What a process could write: pieces of any bytes, small and large, to its streams in any order. */
export function anyWrites(maxPieceBytes: number): fc.Arbitrary<Write[]> {
  const piece = fc.record({
    stream: fc.constantFrom<OutputStream>('stdout', 'stderr'),
    bytes: fc
      .tuple(fc.integer({ min: 1, max: maxPieceBytes }), fc.nat(255))
      .map(([length, seed]) => Buffer.from(Array.from({ length }, (_, index) => (seed + index * 7) % 256))),
  });
  return fc.array(piece, { maxLength: 60 });
}

/** The bytes, cut into pieces at any places. */
export function anyCuts(bytes: Buffer): fc.Arbitrary<Buffer[]> {
  return fc.uniqueArray(fc.nat(bytes.length), { maxLength: 12 }).map((cuts) => {
    const places = [0, ...cuts.sort((a, b) => a - b), bytes.length];
    return places.slice(1).map((place, index) => bytes.subarray(places[index] ?? 0, place));
  });
}

interface Place {
  readonly offset?: number;
  /** Default: the same as `offset`. */
  readonly position?: number;
}

/** Creates a chunk of stdout. */
export function toChunk(text: string, { offset = 0, position = offset }: Place = {}) {
  const bytes = Buffer.from(text);
  return { type: 'chunk', stream: 'stdout', offset, position, bytes, atMs: 0, afterEnd: false } as const;
}

/** Creates a gap in stdout. */
export function toGap(droppedBytes: number, { offset = 0, position = offset }: Place = {}) {
  const to = offset + droppedBytes;
  return { type: 'gap', stream: 'stdout', from: offset, to, position, droppedBytes } as const;
}
