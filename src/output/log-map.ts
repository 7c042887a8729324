/** Offsets of bytes that are no longer in a log; `to` is exclusive. */
export interface LogGap {
  readonly from: number;
  readonly to: number;
}

/** The location of the bytes of a log file written by another program, after it was truncated. */
export interface LogMap {
  /** Disjoint ranges in order. */
  readonly gaps: readonly LogGap[];
  /** Up to here the file is unchanged; beyond it, a byte at `position` has the offset `position + shift`. */
  readonly headBytes: number;
  /** 0 after punching holes: every byte stands at its offset. */
  readonly shift: number;
  /** Offsets in the tail file beside the log, see `tailPathOf`. */
  readonly tail: LogGap | null;
  /**
   * Lengths of the log at which the disk was full: output that the process could not write may be missing
   * there.
   */
  readonly fullAt: readonly number[];
}

const wholeLog: LogMap = { gaps: [], headBytes: 0, shift: 0, tail: null, fullAt: [] };

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

/** Parses the lines about the log among others, oldest first. Incomplete lines are ignored. */
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
    map = { ...map, gaps, headBytes, shift: offset - headBytes, tail: { from: tailFrom, to: tailTo } };
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
