/** Condition on which a watch notifies. */
export type WatchWants =
  /** No change for `quietMs`. */
  | { readonly type: 'quiet'; readonly quietMs: number }
  /** Lines match; those within `windowMs` after a notification are counted and reported together. */
  | { readonly type: 'pattern'; readonly windowMs: number };

export interface WatchInput {
  /** Identifies the watch for its effects. */
  readonly id: string;
  readonly wants: WatchWants;
}

export interface WatchContext extends WatchInput {
  /** Age of the last change when the count began. */
  readonly changedAgoMs: number;
  /** Matching lines that were not reported yet. */
  readonly matches: number;
}

export function createWatchContext(input: WatchInput): WatchContext {
  return { ...input, changedAgoMs: 0, matches: 0 };
}

/** Returns the rest of the quiet time, counted from now. */
export function toQuietDelayMs({ wants, changedAgoMs }: WatchContext): number {
  return wants.type === 'quiet' ? Math.max(0, wants.quietMs - changedAgoMs) : 0;
}

export function toWindowMs({ wants }: WatchContext): number {
  return wants.type === 'pattern' ? wants.windowMs : 0;
}
