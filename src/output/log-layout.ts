import { headBytesOf, tailBytesOf, toAtCapNotice } from './log-cap.ts';
import { gapAt, type LogLine, mapLines, segmentAt } from './log-map.ts';

type LogPlace =
  | { readonly type: 'bytes'; readonly position: number; readonly length: number }
  | { readonly type: 'missing'; readonly to: number };

interface LogCompaction {
  readonly headBytes: number;
  readonly line: Uint8Array;
  /** Start of the kept tail in the file. */
  readonly tailFrom: number;
  /** Start of the kept tail in the output. */
  readonly tailOffset: number;
  readonly missingBytes: number;
}

/**
 * The layout of the log file: `[head] [line: n bytes missing] [tail …]`; the line appears once the cap was
 * reached.
 */
export class LogLayout {
  readonly #maxBytes: number;
  #size: number;
  /** Known once the cap was reached. */
  #headBytes: number | null = null;
  #lines: readonly LogLine[] = [];
  /** Output between head and tail that never reached the file; added by a writer that is too far behind. */
  skippedBytes = 0;

  constructor({ maxBytes, size }: { maxBytes: number; size: number }) {
    this.#maxBytes = maxBytes;
    this.#size = size;
  }

  get size(): number {
    return this.#size;
  }

  /** Bytes that may be written before the file must be compacted. */
  get roomBytes(): number {
    return this.#maxBytes - this.#size;
  }

  /** Output that the file represents: its content and the output that its lines report as missing. */
  get outputBytes(): number {
    return this.#size - surplusOf(this.#lines) + this.skippedBytes;
  }

  /** Output among it that is not in the file. */
  get missingBytes(): number {
    return this.skippedBytes + this.#lines.reduce((sum, line) => sum + line.missingBytes, 0);
  }

  addOutput(bytes: number): void {
    this.#size += bytes;
  }

  /** Registers a line that is not output, and the output bytes that it stands for. */
  addLine(bytes: number, missingBytes: number): void {
    this.#lines = [...this.#lines, { at: this.#size, bytes, missingBytes }];
    this.#size += bytes;
  }

  /** Locates the output from an offset on, or the end of a missing range; `null` if it is not written yet. */
  locate(offset: number): LogPlace | null {
    const end = { at: this.#size, bytes: 0, missingBytes: this.skippedBytes };
    const map = mapLines([...this.#lines, end]);
    const missing = gapAt(map, offset);
    if (missing !== null) return { type: 'missing', to: missing.to };
    const { offset: from, position, to } = segmentAt(map, offset);
    if (to === Number.POSITIVE_INFINITY) return null;
    return { type: 'bytes', position: position + offset - from, length: to - offset };
  }

  /** Plans a compaction without changing anything. */
  planCompaction(pendingBytes: number): LogCompaction {
    const headBytes = this.#headBytes ?? this.#firstHead();
    const keptTail = Math.max(0, tailBytesOf(this.#maxBytes) - pendingBytes);
    const cut = Math.min(this.#size, Math.max(headBytes, this.#size - keptTail));
    const divided = this.#lines.find(({ at, bytes }) => at <= cut && at + bytes > cut);
    const tailFrom = divided === undefined ? cut : divided.at + divided.bytes;
    const gone = this.#lines.filter(({ at }) => at >= headBytes && at < tailFrom);
    const missingBytes = tailFrom - headBytes - surplusOf(gone) + this.skippedBytes;
    const headOutput = headBytes - surplusOf(this.#lines.filter(({ at }) => at < headBytes));
    const line = Buffer.from(toAtCapNotice(missingBytes));
    return { headBytes, line, tailFrom, tailOffset: headOutput + missingBytes, missingBytes };
  }

  #firstHead(): number {
    const cut = Math.min(this.#size, headBytesOf(this.#maxBytes));
    return this.#lines.find(({ at, bytes }) => at < cut && at + bytes > cut)?.at ?? cut;
  }

  applied({ headBytes, line, tailFrom, missingBytes }: LogCompaction): void {
    const shift = headBytes + line.byteLength - tailFrom;
    this.#headBytes = headBytes;
    this.#lines = [
      ...this.#lines.filter(({ at }) => at < headBytes),
      { at: headBytes, bytes: line.byteLength, missingBytes },
      ...this.#lines.filter(({ at }) => at >= tailFrom).map((kept) => ({ ...kept, at: kept.at + shift })),
    ];
    this.#size += shift;
    this.skippedBytes = 0;
  }
}

/** Returns the number of bytes by which these lines exceed the output that they replace. */
function surplusOf(lines: readonly LogLine[]): number {
  return lines.reduce((sum, { bytes, missingBytes }) => sum + bytes - missingBytes, 0);
}
