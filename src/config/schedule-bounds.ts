/** What can be kept of a schedule, whoever wrote it down. Ten years are longer than any supervisor waits. */
export const scheduleBounds = {
  minEveryMs: 1_000,
  maxSpanMs: 10 * 365 * 86_400_000,
  /** The last moment that a `Date` knows, and the first with a minus. */
  maxEpochMs: 8.64e15,
} as const;
