/** What a watch tells of. */
export type WatchWants =
  /** Nothing has changed for so long. */
  | { readonly type: 'quiet'; readonly quietMs: number }
  /** Lines that match; what comes within `windowMs` after news waits and is told together. */
  | { readonly type: 'pattern'; readonly windowMs: number };

export interface WatchInput {
  /** Where the effects are filled in, it is found by this. */
  readonly id: string;
  readonly wants: WatchWants;
}

export interface WatchContext extends WatchInput {
  /** How long ago the last change was when the counting began. */
  readonly changedAgoMs: number;
  /** Lines that matched and were not told yet. */
  readonly matches: number;
}

export function createWatchContext(input: WatchInput): WatchContext {
  return { ...input, changedAgoMs: 0, matches: 0 };
}

/** From now on. */
export function toQuietDelayMs({ wants, changedAgoMs }: WatchContext): number {
  return wants.type === 'quiet' ? Math.max(0, wants.quietMs - changedAgoMs) : 0;
}

export function toWindowMs({ wants }: WatchContext): number {
  return wants.type === 'pattern' ? wants.windowMs : 0;
}
