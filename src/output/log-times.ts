/** From `since` to `until` (milliseconds since the epoch, both included) the output was `offset` bytes long. */
export interface LengthMark {
  readonly offset: number;
  readonly since: number;
  readonly until: number;
}

/** A mark as the index has it. */
export interface IndexedMark extends LengthMark {
  /** Where in the log file the next byte stood: what troupe adds to a log and takes out of it moves this, and not `offset`. */
  readonly position: number;
}

/** Of the file: `from` to `to` was replaced by what now ends at `target`. */
export interface MovedBytes {
  readonly from: number;
  readonly to: number;
  readonly target: number;
}

/** When the output of a process came, as far as that is known. */
export interface OutputTimes {
  /** In order. Bytes between two marks came between them. */
  readonly marks: readonly LengthMark[];
  /** When the last byte came; `null` where that is unknown. */
  readonly lastAt: number | null;
}

/** In milliseconds since the epoch; `null` where nothing is known. */
export interface TimeBounds {
  readonly earliest: number | null;
  readonly latest: number | null;
}

/** The index stands beside the log. */
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

/** Reads an index, oldest mark first. A half line says nothing, also where its last number is cut and another line follows. */
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

/** What is gone from the file stood where its replacement ends now. */
function move(position: number, { from, to, target }: MovedBytes): number {
  if (position <= from) return position;
  return position < to ? target : position + target - to;
}

/** Half as many. Of two neighbours the one that says more stays: that the output paused for longer. */
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
 * The marks by their offsets in the output, or by their positions in the log file. Where the wall clock was set back, marks say nothing
 * until it has caught up; where it was adjusted by a little, they stay in order.
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

/** Between which times the byte at an offset came. */
export function findBounds({ marks, lastAt }: OutputTimes, offset: number): TimeBounds {
  const next = countLeading(marks, (mark) => mark.offset <= offset);
  const earliest = marks[next - 1]?.until ?? null;
  const latest = marks[next]?.since ?? lastAt;
  return { earliest, latest: latest === null ? null : Math.ceil(Math.max(latest, earliest ?? latest)) };
}

/** The first byte that may have come at a time or after it; `null` where none has. */
export function findSince({ marks, lastAt }: OutputTimes, at: number): number | null {
  const later = countLeading(marks, ({ since }) => since < at);
  if (later === marks.length && lastAt !== null && lastAt < at) return null;
  return marks[later - 1]?.offset ?? 0;
}

/** The first byte that certainly came after a time; `null` where none has. */
export function findAfter({ marks }: OutputTimes, at: number): number | null {
  return marks[countLeading(marks, ({ until }) => until <= at)]?.offset ?? null;
}

/** How many of the first marks are so; no later one is. */
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
