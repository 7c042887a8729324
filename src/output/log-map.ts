/** Offsets of bytes that are no longer in a log; `to` is exclusive. */
export interface LogGap {
  readonly from: number;
  readonly to: number;
}

/** Bytes at an offset, or a range that is gone. */
export type FileSpan =
  | { readonly type: 'bytes'; readonly offset: number; readonly bytes: Uint8Array }
  | ({ readonly type: 'gap' } & LogGap);

/** Contiguous output from `offset` to `to` (exclusive) that begins at `position` of a file. */
interface LogSegment {
  readonly offset: number;
  readonly to: number;
  readonly file: 'log' | 'tail';
  readonly position: number;
}

/** A line in a log that is not output, and the bytes of output that it stands for. */
export interface LogLine {
  readonly at: number;
  readonly bytes: number;
  readonly missingBytes: number;
}

/** The location of the bytes of an output in its log file, from which some were removed. */
export interface LogMap {
  /** Disjoint ranges in order. */
  readonly gaps: readonly LogGap[];
  /** Segments in order; the last one has no end. They do not apply to bytes in a gap. */
  readonly segments: readonly LogSegment[];
  /** The offset of the newest bytes less their position in the log; 0 while every byte stands at its offset. */
  readonly shift: number;
  /**
   * Lengths of the log at which the disk was full: output that the process could not write may be missing
   * there.
   */
  readonly fullAt: readonly number[];
}

const endless = Number.POSITIVE_INFINITY;

/** The map of a log from which nothing was removed. */
export const wholeLog: LogMap = {
  gaps: [],
  segments: [{ offset: 0, to: endless, file: 'log', position: 0 }],
  shift: 0,
  fullAt: [],
};

/** Maps a log with these lines, in order, among its output. */
export function mapLines(lines: readonly LogLine[]): LogMap {
  const gaps: LogGap[] = [];
  const segments: LogSegment[] = [];
  let [offset, position] = [0, 0];
  for (const line of lines) {
    const to = offset + line.at - position;
    if (to > offset) segments.push({ offset, to, file: 'log', position });
    offset = to + line.missingBytes;
    if (offset > to) gaps.push({ from: to, to: offset });
    position = line.at + line.bytes;
  }
  segments.push({ offset, to: endless, file: 'log', position });
  return { ...wholeLog, gaps: joinGaps(gaps), segments, shift: offset - position };
}

/** Returns the gap around an offset; `null` if the byte is there. */
export function gapAt({ gaps }: LogMap, offset: number): LogGap | null {
  return gaps.find(({ from, to }) => from <= offset && offset < to) ?? null;
}

/** Returns the segment in which an offset is, outside of gaps. */
export function segmentAt({ segments }: LogMap, offset: number): LogSegment {
  return segments.findLast((segment) => segment.offset <= offset) ?? wholeSegment;
}

const [wholeSegment] = wholeLog.segments as [LogSegment];

/** Returns the path of the file with the newest bytes of a truncated log whose file system has no holes. */
export function tailPathOf(logPath: string): string {
  return `${logPath}.tail`;
}

/** Formats a gap: the bytes at these offsets are gone; all other offsets stay the same. */
export function toGapLine({ from, to }: LogGap): string {
  return `\ngap ${from} ${to}\n`;
}

/** Formats a truncation to `headBytes`: later content begins at `offset`, and `tail` is in the tail file. */
export function toBaseLine(base: { headBytes: number; offset: number; tail: LogGap }): string {
  return `\nbase ${base.headBytes} ${base.offset} ${base.tail.from} ${base.tail.to}\n`;
}

/** Formats the length of the log at which the disk was full. */
export function toFullLine(bytes: number): string {
  return `\nfull ${bytes}\n`;
}

const fullLine = /^full (\d+)$/;
const mapLine = /^(?:gap (\d+) (\d+)|base (\d+) (\d+) (\d+) (\d+))$/;

/** Parses the lines about the log in a status file, among others, oldest first. Incomplete lines are ignored. */
export function parseLogMap(text: string): LogMap {
  let map = wholeLog;
  for (const line of text.split('\n').slice(0, -1)) {
    const full = fullLine.exec(line)?.[1];
    if (full !== undefined) map = { ...map, fullAt: [...map.fullAt, Number(full)] };
    const numbers = mapLine.exec(line)?.slice(1).map(Number);
    if (numbers === undefined) continue;
    const [from = 0, to = 0, headBytes = 0, offset = 0, tailFrom = 0, tailTo = 0] = numbers;
    if (line.startsWith('gap')) {
      map = { ...map, gaps: joinGaps([...map.gaps, { from, to }]) };
      continue;
    }
    const gaps = joinGaps([
      { from: headBytes, to: tailFrom },
      { from: tailTo, to: offset },
    ]);
    const segments: readonly LogSegment[] = [
      { offset: 0, to: headBytes, file: 'log', position: 0 },
      { offset: tailFrom, to: tailTo, file: 'tail', position: 0 },
      { offset, to: endless, file: 'log', position: headBytes },
    ];
    map = { ...map, gaps, segments, shift: offset - headBytes };
  }
  return map;
}

function joinGaps(gaps: readonly LogGap[]): readonly LogGap[] {
  const joined: LogGap[] = [];
  for (const gap of gaps.filter(({ from, to }) => to > from).sort((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last === undefined || gap.from > last.to) joined.push(gap);
    else joined[joined.length - 1] = { from: last.from, to: Math.max(last.to, gap.to) };
  }
  return joined;
}
