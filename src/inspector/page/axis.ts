/** Part of the time axis that is shown, in milliseconds since the epoch. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Shortest range that can be shown, in ms. */
const MIN_MS = 50;

/** Returns the place of a time in percent of the width; outside of the range it is below 0 or above 100. */
export function toPercent(time: number, { from, to }: Range): number {
  return ((time - from) / Math.max(1, to - from)) * 100;
}

/** Returns the range zoomed around a time by a factor; below 1 it becomes shorter. */
export function zoom(
  { from, to }: Range,
  { around, factor }: { readonly around: number; readonly factor: number },
): Range {
  const length = Math.max(MIN_MS, (to - from) * factor);
  const share = (around - from) / Math.max(1, to - from);
  const start = around - length * share;
  return { from: start, to: start + length };
}

export function move({ from, to }: Range, ms: number): Range {
  return { from: from + ms, to: to + ms };
}

const STEPS_MS = [
  ...[10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800].map((seconds) => seconds * 1_000),
  ...[1, 2, 3, 6, 12, 24, 48, 168].map((hours) => hours * 3_600_000),
];

/** Returns the times of at most `count` ticks at round times of the day, and the length of a step in ms. */
export function toTicks(
  { from, to }: Range,
  count: number,
): { readonly times: readonly number[]; readonly stepMs: number } {
  const stepMs = STEPS_MS.find((step) => (to - from) / step <= count) ?? Number(STEPS_MS.at(-1));
  const zone = new Date(from).getTimezoneOffset() * 60_000;
  const first = Math.ceil((from - zone) / stepMs) * stepMs + zone;
  const times: number[] = [];
  for (let time = first; time <= to && times.length <= count * 4; time += stepMs) times.push(time);
  return { times, stepMs };
}
