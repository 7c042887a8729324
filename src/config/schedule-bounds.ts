/** Limits of a stored schedule. Ten years exceed the life of any supervisor. */
export const scheduleBounds = {
  minEveryMs: 1_000,
  maxSpanMs: 10 * 365 * 86_400_000,
  /** The last moment of a `Date`; negative, the first. */
  maxEpochMs: 8.64e15,
} as const;
