/** Offsets between which the bytes of a log are no longer there; `to` is not among them. */
export interface LogGap {
  readonly from: number;
  readonly to: number;
}

/** Where the bytes of a log file that others write stand, once it was made smaller. */
export interface LogMap {
  /** In order; none touches another. */
  readonly gaps: readonly LogGap[];
  /** Up to here the file is as it was written; from here on a byte at `position` has the offset `position + shift`. */
  readonly headBytes: number;
  /** 0 where holes were punched: then every byte stands at its offset. */
  readonly shift: number;
  /** The offsets that the file beside the log holds, see `tailPathOf`. */
  readonly tail: LogGap | null;
  /** Lengths of the log at which the disk was full: behind each, output may be missing that its process could not write. */
  readonly fullAt: readonly number[];
}

const wholeLog: LogMap = { gaps: [], headBytes: 0, shift: 0, tail: null, fullAt: [] };

/** Where the newest bytes are kept while a log is cut that cannot have holes. */
export function tailPathOf(logPath: string): string {
  return `${logPath}.tail`;
}

/** A line that says: of these offsets nothing is left, all others stand where they stood. */
export function toGapLine({ from, to }: LogGap): string {
  return `\ngap ${from} ${to}\n`;
}

/** A line that says: the file was cut to `headBytes`, what it holds from there on begins with `offset`, `tail` is beside it. */
export function toBaseLine(base: { headBytes: number; offset: number; tail: LogGap }): string {
  return `\nbase ${base.headBytes} ${base.offset} ${base.tail.from} ${base.tail.to}\n`;
}

/** A line that says: the disk was full when the log was so long. */
export function toFullLine(bytes: number): string {
  return `\nfull ${bytes}\n`;
}

const fullLine = /^full (\d+)$/;
const mapLine = /^(?:gap (\d+) (\d+)|base (\d+) (\d+) (\d+) (\d+))$/;

/** Reads the lines about the log among others, oldest first. A half line says nothing. */
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
