/** Facts that the effects report of the process, in the past tense. */
type WatchFact =
  /** The process last changed `agoMs` ago. */
  | { type: 'change.seen'; agoMs: number }
  /** No change during the whole time. */
  | { type: 'stillness.confirmed' }
  /** More lines match. */
  | { type: 'lines.matched'; count: number }
  /** The expression takes too long. */
  | { type: 'search.failed' }
  /** The process has ended, and all its output was searched. */
  | { type: 'process.ended' }
  /** The process continues without this supervisor. */
  | { type: 'process.released' };

/** Commands to a watch. */
type WatchCommand =
  | { type: 'watch.cancel' }
  /** The same owner replaces the watch by another one. */
  | { type: 'watch.replace' };

export type WatchDeadlineName = 'quiet' | 'window';

export type WatchEvent = WatchFact | WatchCommand | { type: `deadline.${WatchDeadlineName}` };
