import type { Duration } from '../config/duration.ts';
import type { WatchOver } from '../config/watch-options.ts';
import type { ProcessView } from '../process/process-view.ts';

/** Options of a watch. Without `pattern` it notifies of silence. */
export interface WatchOptions {
  /** Owner to notify. Default: the owner of the process. */
  readonly owner?: string;
  /** Time without a change of the screen, or of the output if there is no terminal; at least 100 ms. Default 5 s. */
  readonly quiet?: Duration;
  /** JavaScript regular expression. Notifies of matching lines, as a person sees them, instead of silence. Default: silence. */
  readonly pattern?: string;
  /** Stores the watch in the record of a persistent process, to be restored with it. Default `true`. */
  readonly kept?: boolean;
  /**
   * Called once at the end of the watch, after its last notification: the process has `ended` or was `released` by this supervisor, the
   * watch was `cancelled`, another one of the same owner has `replaced` it, or it has `failed`. Not called for a restored watch.
   */
  readonly onOver?: (how: WatchOver) => void;
}

/** A watch as plain data. A process has at most one watch for each owner. */
export interface WatchView {
  readonly processId: string;
  readonly owner: string;
  readonly wants:
    | { readonly type: 'quiet'; readonly quietMs: number }
    | { readonly type: 'pattern'; readonly pattern: string };
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** Number of notifications so far. */
  readonly told: number;
}

/** Notification of a watch. The same notification has the same `id` everywhere. `at` is milliseconds since the epoch. */
export type WatchNews = {
  readonly id: string;
  readonly at: number;
  readonly owner: string;
  readonly process: ProcessView;
} & (
  | {
      readonly type: 'watch.quiet';
      /** Time without a change. */
      readonly quietMs: number;
      /** Lines of the screen, or the last lines of the output, without blank lines at the end. */
      readonly lines: readonly string[];
    }
  | {
      readonly type: 'watch.matched';
      readonly pattern: string;
      /** Number of matching lines since the last notification. */
      readonly matches: number;
      /** The newest matching lines. */
      readonly lines: readonly string[];
      /** Number of matching lines that are not in `lines`. */
      readonly suppressed: number;
    }
  /**
   * End of a watch that failed: the expression takes too long; the process has ended and the rest of its output cannot be read, or is
   * not searched because the supervisor stops; or the watch of a client was cancelled by another one.
   */
  | { readonly type: 'watch.failed'; readonly why: string }
);
