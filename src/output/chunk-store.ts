import {
  type OutputChunk,
  type OutputPiece,
  outputStreams,
  positionAfter,
  type StreamPositions,
} from './output-chunk.ts';
import type { OutputStream } from './output-sink.ts';
import { RingBuffer, type Run } from './ring-buffer.ts';

/** The part of the output that may not be dropped from memory. */
export interface RetainedOutput {
  /** Offsets at which the retained bytes of each stream begin. */
  readonly positions: StreamPositions;
  /** Bytes before this offset are elsewhere, too. */
  readonly offset: number;
}

/** Created for its first bytes, since most processes fill only one or two of the nine possible segments. */
interface Segment {
  readonly stream: OutputStream;
  readonly part: 'head' | 'tail' | 'late';
  readonly buffer: RingBuffer;
}

/**
 * Output kept in memory: per stream the head, the newest tail, and the same amount again for output after the
 * end. No stream displaces another, and late output displaces nothing that came before the end. A class for the same
 * reason as `OutputLog`.
 */
export class ChunkStore {
  readonly #maxBufferBytes: number;
  readonly #headBytes: number;
  readonly #segments: Segment[] = [];
  readonly #positions = { stdout: 0, stderr: 0, screen: 0 };
  #total = 0;
  #retained: RetainedOutput | null = null;

  constructor({ maxBufferBytes, headBytes }: { maxBufferBytes: number; headBytes: number }) {
    this.#maxBufferBytes = maxBufferBytes;
    this.#headBytes = Math.min(headBytes, Math.floor(maxBufferBytes / 2));
  }

  /** Bytes of all streams that ever arrived, which is the offset of the next one. */
  get bytes(): number {
    return this.#total;
  }

  get keptBytes(): number {
    return this.#segments.reduce((sum, { buffer: runs }) => sum + runs.keptBytes, 0);
  }

  get droppedBytes(): number {
    return this.#total - this.keptBytes;
  }

  /** Bytes kept beyond the limits because they are retained. */
  get surplusBytes(): number {
    return this.#segments.reduce((sum, { buffer: runs }) => sum + runs.surplusBytes, 0);
  }

  /** Keeps the output that readers still need, even beyond the limits; `null` if none needs any. */
  retain(needed: RetainedOutput | null): void {
    this.#retained = needed;
    for (const segment of this.#segments) this.#retainIn(segment);
  }

  #retainIn({ stream, buffer: runs }: Segment): void {
    const needed = this.#retained;
    runs.retain(needed && { position: needed.positions[stream], offset: needed.offset });
  }

  /** Keeps the heads, and only the newest `tailBytes` of everything else in each stream. */
  shrink(tailBytes: number): void {
    for (const { part, buffer: runs } of this.#segments) if (part !== 'head') runs.shrink(tailBytes);
  }

  get positions(): StreamPositions {
    return { ...this.#positions };
  }

  append(stream: OutputStream, bytes: Uint8Array, label: { atMs: number; afterEnd: boolean }): void {
    const place = { offset: this.#total, position: this.#positions[stream], atMs: label.atMs };
    const headRoom = this.#headBytes - (this.#find(stream, 'head')?.buffer.keptBytes ?? 0);
    if (label.afterEnd) this.#runsOf(stream, 'late').append(bytes, place);
    else if (headRoom <= 0) this.#runsOf(stream, 'tail').append(bytes, place);
    else {
      this.#runsOf(stream, 'head').append(bytes.subarray(0, headRoom), place);
      if (bytes.byteLength > headRoom) {
        this.#runsOf(stream, 'tail').append(bytes.subarray(headRoom), {
          offset: place.offset + headRoom,
          position: place.position + headRoom,
          atMs: place.atMs,
        });
      }
    }
    this.#total += bytes.byteLength;
    this.#positions[stream] += bytes.byteLength;
  }

  #find(stream: OutputStream, part: Segment['part']): Segment | undefined {
    return this.#segments.find((segment) => segment.stream === stream && segment.part === part);
  }

  #runsOf(stream: OutputStream, part: Segment['part']): RingBuffer {
    const found = this.#find(stream, part);
    if (found !== undefined) return found.buffer;
    const segment = { stream, part, buffer: new RingBuffer(this.#roomOf(part)) };
    if (this.#retained !== null) this.#retainIn(segment);
    this.#segments.push(segment);
    return segment.buffer;
  }

  #roomOf(part: Segment['part']): number {
    if (part === 'head') return this.#headBytes;
    return part === 'tail' ? this.#maxBufferBytes - this.#headBytes : this.#maxBufferBytes;
  }

  #filled(streams: readonly OutputStream[]): Segment[] {
    return this.#segments.filter(
      ({ stream, buffer: runs }) => streams.includes(stream) && runs.keptBytes > 0,
    );
  }

  /**
   * Yields the pieces from the given positions in order of arrival; a gap precedes the first kept bytes of
   * its stream. Finding the start costs O(log n), each piece O(1).
   */
  *forward(from: StreamPositions, streams: readonly OutputStream[]): Generator<OutputPiece, void> {
    const reached = { ...from };
    const reachedOffset = { stdout: 0, stderr: 0, screen: 0 };
    const sources = this.#filled(streams);
    while (true) {
      const first = firstOf(sources, reached);
      if (first === null) return;
      const { run } = first;
      const { stream, part } = first.segment;
      if (run.position > reached[stream]) {
        const droppedBytes = run.position - reached[stream];
        const gapFrom = Math.max(reachedOffset[stream], reached[stream]);
        yield { type: 'gap', stream, from: gapFrom, to: run.offset, position: reached[stream], droppedBytes };
      }
      const chunk = toChunk(run, { stream, part, seen: Math.max(0, reached[stream] - run.position) });
      reached[stream] = positionAfter(chunk);
      reachedOffset[stream] = chunk.offset + chunk.bytes.byteLength;
      yield chunk;
    }
  }

  /** Yields the chunks from the newest to the oldest. */
  *backward(streams: readonly OutputStream[]): Generator<OutputChunk, void> {
    const walks = this.#filled(streams).map((segment) => ({ segment, next: segment.buffer.end - 1 }));
    while (true) {
      let newest: { walk: (typeof walks)[number]; run: Run } | null = null;
      for (const walk of walks) {
        const run = walk.next < 0 ? null : walk.segment.buffer.at(walk.next);
        if (run === null || run.number > walk.next) continue;
        if (newest === null || run.offset > newest.run.offset) newest = { walk, run };
      }
      if (newest === null) return;
      newest.walk.next -= 1;
      yield toChunk(newest.run, { ...newest.walk.segment, seen: 0 });
    }
  }

  /**
   * Returns the position of each stream when `offset` bytes had arrived. The sum is exact; so is each
   * position, unless two streams dropped bytes around this offset.
   */
  positionsAt(offset: number): StreamPositions {
    const ranges = outputStreams.map((stream) => ({ stream, ...this.#rangeAt(stream, offset) }));
    let unknown = offset - ranges.reduce((sum, { lowest }) => sum + lowest, 0);
    const found = { stdout: 0, stderr: 0, screen: 0 };
    for (const { stream, lowest, highest } of ranges) {
      const share = Math.min(Math.max(0, unknown), highest - lowest);
      found[stream] = lowest + share;
      unknown -= share;
    }
    return found;
  }

  /**
   * Returns the range of positions the stream could have had at the offset; both are equal wherever its bytes
   * are kept.
   */
  #rangeAt(stream: OutputStream, offset: number): { lowest: number; highest: number } {
    let before = { offset: 0, position: 0 };
    let after = { offset: this.#total, position: this.#positions[stream] };
    for (const { buffer: runs } of this.#filled([stream])) {
      const number = runs.firstBeyond('offset', offset);
      const next = runs.at(number);
      if (next !== null && next.offset <= offset) {
        const position = next.position + offset - next.offset;
        return { lowest: position, highest: position };
      }
      if (next !== null && next.offset < after.offset) after = next;
      const previous = number === 0 ? null : runs.at(number - 1);
      if (previous === null || previous.number >= number) continue;
      const length = previous.bytes.byteLength;
      const end = { offset: previous.offset + length, position: previous.position + length };
      if (end.offset > before.offset) before = end;
    }
    return {
      lowest: Math.max(before.position, after.position - (after.offset - offset)),
      highest: Math.min(after.position, before.position + (offset - before.offset)),
    };
  }
}

function firstOf(
  sources: readonly Segment[],
  reached: StreamPositions,
): { segment: Segment; run: Run } | null {
  let first: { segment: Segment; run: Run } | null = null;
  for (const segment of sources) {
    const run = segment.buffer.at(segment.buffer.firstBeyond('position', reached[segment.stream]));
    if (run !== null && (first === null || run.offset < first.run.offset)) first = { segment, run };
  }
  return first;
}

function toChunk(run: Run, from: Pick<Segment, 'stream' | 'part'> & { seen: number }): OutputChunk {
  return {
    type: 'chunk',
    stream: from.stream,
    offset: run.offset + from.seen,
    position: run.position + from.seen,
    bytes: from.seen === 0 ? run.bytes : run.bytes.subarray(from.seen),
    atMs: run.atMs,
    afterEnd: from.part === 'late',
  };
}
