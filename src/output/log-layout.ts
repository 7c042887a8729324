import { headBytesOf, tailBytesOf, toAtCapNotice } from './log-cap.ts';
import { gapAt, type LogLine, mapLines, segmentAt } from './log-map.ts';

/**
 * The layout of the log file: `[head] [line: n bytes missing] [tail …]`; the line appears once the cap was
 * reached.
 */
export interface LogLayout {
  readonly size: number;
  readonly headBytes: number;
  /** Bytes that may be written before the file must be compacted. */
  readonly roomBytes: number;
  /** Output that the file represents: its content and what its lines report as missing. */
  readonly outputBytes: number;
  /** The part of it that is not in the file. */
  readonly missingBytes: number;
  /** Locates the output from an offset on, or the end of a missing range; `null` if it is not written yet. */
  locate(offset: number): LogPlace | null;
  /** Output between head and tail that never reached the file; added by a writer that is too far behind. */
  skippedBytes: number;
  addOutput(bytes: number): void;
  /** Registers a line that is not output, and the output bytes that it stands for. */
  addLine(lineBytes: number, missingBytes: number): void;
  /** Plans a compaction without changing anything. */
  planCompaction(pendingBytes: number): LogCompaction;
  applied(compaction: LogCompaction): void;
}

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

export function createLogLayout(options: { maxBytes: number; size: number }): LogLayout {
  const { maxBytes } = options;
  let size = options.size;
  let headBytes: number | null = null;
  let gap = { bytes: 0, missingBytes: 0 };
  let lines: readonly LogLine[] = [];
  let skippedBytes = 0;

  function planCompaction(pendingBytes: number): LogCompaction {
    const keptHead = headBytes ?? firstHead();
    const from = keptHead + gap.bytes;
    const keptTail = Math.max(0, tailBytesOf(maxBytes) - pendingBytes);
    const cut = Math.min(size, Math.max(from, size - keptTail));
    const straddled = lines.find((line) => line.at < cut && line.at + line.bytes > cut);
    const tailFrom = straddled === undefined ? cut : straddled.at + straddled.bytes;
    const goneLines = lines.filter(({ at }) => at >= from && at < tailFrom);
    const goneOutput =
      tailFrom - from - goneLines.reduce((sum, line) => sum + line.bytes - line.missingBytes, 0);
    const missingBytes = gap.missingBytes + goneOutput + skippedBytes;
    const line = Buffer.from(toAtCapNotice(missingBytes));
    const headLines = lines.filter(({ at }) => at < keptHead);
    const headOutput =
      keptHead - headLines.reduce((sum, { bytes, missingBytes: lost }) => sum + bytes - lost, 0);
    return { headBytes: keptHead, line, tailFrom, tailOffset: headOutput + missingBytes, missingBytes };
  }

  function firstHead(): number {
    const cut = Math.min(size, headBytesOf(maxBytes));
    return lines.find((line) => line.at < cut && line.at + line.bytes > cut)?.at ?? cut;
  }

  function applied(compaction: LogCompaction): void {
    const { line, tailFrom, missingBytes } = compaction;
    const shift = compaction.headBytes + line.byteLength - tailFrom;
    headBytes = compaction.headBytes;
    gap = { bytes: line.byteLength, missingBytes };
    lines = lines
      .filter(({ at }) => at < compaction.headBytes || at >= tailFrom)
      .map((kept) => (kept.at < compaction.headBytes ? kept : { ...kept, at: kept.at + shift }));
    size += shift;
    skippedBytes = 0;
  }

  function locate(offset: number): LogPlace | null {
    const marks = gap.bytes === 0 ? lines : [...lines, { at: headBytes ?? size, ...gap }];
    const map = mapLines([...marks, endMark()].sort((a, b) => a.at - b.at));
    const missing = gapAt(map, offset);
    if (missing !== null) return { type: 'missing', to: missing.to };
    const { offset: from, position, to } = segmentAt(map, offset);
    if (to === Number.POSITIVE_INFINITY) return null;
    return { type: 'bytes', position: position + offset - from, length: to - offset };
  }

  function endMark(): LogLine {
    return { at: size, bytes: 0, missingBytes: skippedBytes };
  }

  return {
    planCompaction,
    locate,
    applied,
    addOutput(bytes) {
      size += bytes;
    },
    addLine(bytes, missingBytes) {
      lines = [...lines, { at: size, bytes, missingBytes }];
      size += bytes;
    },
    get size() {
      return size;
    },
    get headBytes() {
      return headBytes ?? size;
    },
    get roomBytes() {
      return maxBytes - size;
    },
    get outputBytes() {
      const inLines = lines.reduce((sum, line) => sum + line.bytes - line.missingBytes, 0);
      return size - gap.bytes + gap.missingBytes - inLines + skippedBytes;
    },
    get missingBytes() {
      return gap.missingBytes + skippedBytes + lines.reduce((sum, line) => sum + line.missingBytes, 0);
    },
    get skippedBytes() {
      return skippedBytes;
    },
    set skippedBytes(bytes) {
      skippedBytes = bytes;
    },
  };
}
