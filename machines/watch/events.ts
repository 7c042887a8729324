/** What the effects of the chart tell of the process. Facts, past tense. */
export type WatchFact =
  /** So long ago it changed for the last time. */
  | { type: 'change.seen'; agoMs: number }
  /** It was looked once more: nothing has changed for the whole time. */
  | { type: 'stillness.confirmed' }
  /** So many lines more. */
  | { type: 'lines.matched'; count: number }
  /** The expression takes too long. */
  | { type: 'search.failed' }
  /** With everything it printed. */
  | { type: 'process.ended' }
  /** It goes on without this supervisor. */
  | { type: 'process.released' };

/** What somebody wants of a watch. */
export type WatchCommand =
  | { type: 'watch.cancel' }
  /** The same owner watches for something else from now on. */
  | { type: 'watch.replace' };

export type WatchDeadlineName = 'quiet' | 'window';

export type WatchEvent = WatchFact | WatchCommand | { type: `deadline.${WatchDeadlineName}` };
