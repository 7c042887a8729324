import { looksBinary } from './decode.ts';
import type { LogGap } from './log-map.ts';
import { type OutputChunk, type OutputGap, type OutputPiece, positionAfter } from './output-chunk.ts';
import type { OutputStream } from './output-sink.ts';
import type { TailedFile } from './tailed-file.ts';

const chunkBytes = 64 * 1024;

/** Reads chunks of a log file written by another program, labelled by whether they came after an end. */
export class TailedChunks {
  readonly #file: TailedFile;
  readonly #stream: OutputStream;
  readonly #lastWriteAtMs: () => number;
  /** Ranges of output after an end; the last one is open while `to` is null. */
  readonly #late: { readonly from: number; to: number | null }[] = [];
  /** The file, or the file with secrets masked. */
  source: Pick<TailedFile, 'read'>;

  constructor({
    file,
    stream,
    lastWriteAtMs,
  }: { file: TailedFile; stream: OutputStream; lastWriteAtMs: () => number }) {
    this.#file = file;
    this.#stream = stream;
    this.#lastWriteAtMs = lastWriteAtMs;
    this.source = file;
  }

  markEnd(offset: number): void {
    this.#late.push({ from: offset, to: null });
  }

  markRestart(offset: number): void {
    const last = this.#late.at(-1);
    if (last !== undefined) last.to = offset;
  }

  *between(from: number, end: number): Generator<OutputPiece, void> {
    const file = this.source;
    for (let offset = from; offset < end; ) {
      const span = file.read(offset, Math.min(chunkBytes, end - offset));
      if (span === null) return;
      const piece = span.type === 'gap' ? toGap(span, this.#stream) : this.#toChunk(span);
      yield piece;
      offset = piece.type === 'gap' ? piece.to : offset + piece.bytes.byteLength;
    }
  }

  /** Cuts the chunk where output before an end meets output after it. */
  #toChunk({ offset, bytes }: { offset: number; bytes: Uint8Array }): OutputChunk {
    const late = this.#late.find(({ to }) => to === null || to > offset);
    const afterEnd = late !== undefined && late.from <= offset;
    const labelEnd = (afterEnd ? late.to : late?.from) ?? Number.POSITIVE_INFINITY;
    return {
      type: 'chunk',
      stream: this.#stream,
      offset,
      position: offset,
      bytes: bytes.subarray(0, Math.min(bytes.byteLength, labelEnd - offset)),
      atMs: this.#lastWriteAtMs(),
      afterEnd,
    };
  }

  *backward(): Generator<OutputChunk, void> {
    let end = this.#file.presentBytes();
    while (end > 0) {
      const from = Math.max(0, end - chunkBytes);
      const pieces = [...this.between(from, end)];
      const last = pieces.at(-1);
      if (last === undefined || positionAfter(last) < end) return;
      yield* pieces.filter((piece) => piece.type === 'chunk').reverse();
      end = this.#file.map().gaps.find((gap) => gap.from < from && gap.to >= from)?.from ?? from;
    }
  }

  isBinary(): boolean {
    const bytes = this.#file.bytes();
    const newest = Math.max(0, bytes - chunkBytes);
    const starts = newest < chunkBytes ? [0] : [0, newest];
    const samples = starts.map((start) => this.#file.read(start, chunkBytes));
    return looksBinary(samples.flatMap((span) => (span?.type === 'bytes' ? [span.bytes] : [])));
  }
}

function toGap({ from, to }: LogGap, stream: OutputStream): OutputGap {
  return { type: 'gap', stream, from, to, position: from, droppedBytes: to - from };
}
