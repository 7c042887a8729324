/**
 * What stands where in the log file: `[head] [line: n bytes missing] [tail …]`, the line only once the cap was reached.
 */
export interface LogLayout {
  readonly size: number;
  readonly headBytes: number;
  /** How much may be written before the file must be made smaller. */
  readonly roomBytes: number;
  /** Output that the file stands for: what is in it, and what its lines say is missing. */
  readonly outputBytes: number;
  /** Of that, what is not in it. */
  readonly missingBytes: number;
  /** Where the output from an offset on stands; up to which offset it is missing; `null` where it is not written yet. */
  locate(offset: number): LogPlace | null;
  /** Output between head and tail that never reached the file; added by the writer when it is too far behind. */
  skippedBytes: number;
  addOutput(bytes: number): void;
  /** A line that is not output, and the bytes of output that it stands for. */
  addLine(lineBytes: number, missingBytes: number): void;
  /** How the file would be made smaller; nothing has happened yet. */
  planCompaction(pendingBytes: number): LogCompaction;
  applied(compaction: LogCompaction): void;
}

type LogPlace =
  | { readonly type: 'bytes'; readonly position: number; readonly length: number }
  | { readonly type: 'missing'; readonly to: number };

interface LogCompaction {
  readonly headBytes: number;
  readonly line: Uint8Array;
  /** The tail that stays is everything from here on. */
  readonly tailFrom: number;
  readonly missingBytes: number;
}

interface Line {
  readonly at: number;
  readonly bytes: number;
  readonly missingBytes: number;
}

export function createLogLayout(options: { maxBytes: number; size: number }): LogLayout {
  const { maxBytes } = options;
  let size = options.size;
  let headBytes: number | null = null;
  let gap = { bytes: 0, missingBytes: 0 };
  let lines: readonly Line[] = [];
  let skippedBytes = 0;

  function planCompaction(pendingBytes: number): LogCompaction {
    const keptHead = headBytes ?? firstHead();
    const from = keptHead + gap.bytes;
    const keptTail = Math.max(0, Math.floor(maxBytes / 8) - pendingBytes);
    const cut = Math.min(size, Math.max(from, size - keptTail));
    const straddled = lines.find((line) => line.at < cut && line.at + line.bytes > cut);
    const tailFrom = straddled === undefined ? cut : straddled.at + straddled.bytes;
    const goneLines = lines.filter(({ at }) => at >= from && at < tailFrom);
    const goneOutput =
      tailFrom - from - goneLines.reduce((sum, line) => sum + line.bytes - line.missingBytes, 0);
    const missingBytes = gap.missingBytes + goneOutput + skippedBytes;
    const line = Buffer.from(`\n[troupe: ${missingBytes} bytes missing here: the log file is at its cap]\n`);
    return { headBytes: keptHead, line, tailFrom, missingBytes };
  }

  function firstHead(): number {
    const cut = Math.min(size, Math.floor(maxBytes / 16));
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
    let position = 0;
    let reached = 0;
    for (const mark of [...marks, endMark()].sort((a, b) => a.at - b.at)) {
      const length = reached + mark.at - position - offset;
      if (length > 0) return { type: 'bytes', position: mark.at - length, length };
      reached += mark.at - position + mark.missingBytes;
      if (offset < reached) return { type: 'missing', to: reached };
      position = mark.at + mark.bytes;
    }
    return null;
  }

  function endMark(): Line {
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
