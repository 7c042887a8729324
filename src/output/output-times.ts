/** The output was `offset` bytes long from `since` to `until` (milliseconds since the epoch, both inclusive). */
export interface LengthMark {
  readonly offset: number;
  readonly since: number;
  readonly until: number;
}

/** A mark as stored in the index. */
export interface IndexedMark extends LengthMark {
  /**
   * Position of the next byte in the log file. Lines added and bytes removed by troupe change it, but not
   * `offset`.
   */
  readonly position: number;
}

/** A change of the file: `from` to `to` was replaced by bytes that now end at `target`. */
export interface MovedBytes {
  readonly from: number;
  readonly to: number;
  readonly target: number;
}

/** Arrival times of the output of a process, as far as known. */
export interface OutputTimes {
  /** Marks in order. Bytes between two marks arrived between them. */
  readonly marks: readonly LengthMark[];
  /** Arrival time of the last byte; `null` if unknown. */
  readonly lastAt: number | null;
}

/** Bounds in milliseconds since the epoch; `null` if unknown. */
export interface TimeBounds {
  readonly earliest: number | null;
  readonly latest: number | null;
}

/** Returns the path of the index, which lies beside the log. */
export function timesPathOf(logPath: string): string {
  return `${logPath}.times`;
}

export function toMarkLine({ offset, position, since, until }: IndexedMark): string {
  return `\nat ${offset} ${position} ${Math.ceil(since)} ${Math.floor(until)}\n`;
}

export function toMovedLine({ from, to, target }: MovedBytes): string {
  return `\nmoved ${from} ${to} ${target}\n`;
}

const indexLine = /^(?:at (\d+) (\d+) (\d+) (\d+)|moved (\d+) (\d+) (\d+))$/;

/**
 * Parses an index, oldest mark first. Incomplete lines are ignored, even if another line follows a cut
 * number.
 */
export function parseTimeIndex(text: string): readonly IndexedMark[] {
  let marks: IndexedMark[] = [];
  for (const line of text.split('\n').slice(0, -1)) {
    const numbers = indexLine.exec(line)?.slice(1).map(Number);
    if (numbers === undefined) continue;
    const [offset = 0, position = 0, since = 0, until = 0, from = 0, to = 0, target = 0] = numbers;
    if (line.startsWith('at')) marks.push({ offset, position, since, until });
    else if (target >= from)
      marks = marks.map((mark) => ({ ...mark, position: move(mark.position, { from, to, target }) }));
  }
  return marks;
}

/** Maps a position in replaced bytes to the end of the replacement. */
function move(position: number, { from, to, target }: MovedBytes): number {
  if (position <= from) return position;
  return position < to ? target : position + target - to;
}

/** Keeps every second mark: of two neighbours the one with the longer pause. */
export function thinMarks(marks: readonly IndexedMark[]): readonly IndexedMark[] {
  const kept: IndexedMark[] = [];
  for (let index = 0; index < marks.length; index += 2) {
    const [mark, next] = [marks[index], marks[index + 1]];
    if (mark === undefined) break;
    kept.push(next !== undefined && next.until - next.since > mark.until - mark.since ? next : mark);
  }
  return kept;
}

/**
 * Returns the marks by their offsets in the output or their positions in the log file. Marks after the wall
 * clock was set back are ignored until it has caught up; small adjustments keep the order.
 */
export function toLengthMarks(
  marks: readonly IndexedMark[],
  by: 'offset' | 'position',
): readonly LengthMark[] {
  const ordered: LengthMark[] = [];
  for (const mark of marks) {
    const { [by]: offset, since, until } = mark;
    const last = ordered.at(-1);
    if (until < since || (last !== undefined && (offset < last.offset || until < last.until))) continue;
    if (last?.offset === offset) ordered[ordered.length - 1] = { ...last, until };
    else ordered.push({ offset, since: Math.max(since, last?.until ?? since), until });
  }
  return ordered;
}

/** Returns the bounds of the arrival time of the byte at an offset. */
export function findBounds({ marks, lastAt }: OutputTimes, offset: number): TimeBounds {
  const next = countLeading(marks, (mark) => mark.offset <= offset);
  const earliest = marks[next - 1]?.until ?? null;
  const latest = marks[next]?.since ?? lastAt;
  return { earliest, latest: latest === null ? null : Math.ceil(Math.max(latest, earliest ?? latest)) };
}

/** Returns the first byte that may have arrived at or after a time; `null` if none has. */
export function findSince({ marks, lastAt }: OutputTimes, at: number): number | null {
  const later = countLeading(marks, ({ since }) => since < at);
  if (later === marks.length && lastAt !== null && lastAt < at) return null;
  return marks[later - 1]?.offset ?? 0;
}

/** Returns the first byte that certainly arrived after a time; `null` if none has. */
export function findAfter({ marks }: OutputTimes, at: number): number | null {
  return marks[countLeading(marks, ({ until }) => until <= at)]?.offset ?? null;
}

/** Counts the leading marks that satisfy a predicate that no later mark satisfies. */
function countLeading(marks: readonly LengthMark[], isSo: (mark: LengthMark) => boolean): number {
  let [low, high] = [0, marks.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const mark = marks[middle];
    if (mark !== undefined && isSo(mark)) low = middle + 1;
    else high = middle;
  }
  return low;
}
