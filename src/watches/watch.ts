import type { Duration } from '../config/duration.ts';
import type { WatchOver } from '../config/watch-options.ts';
import type { ProcessView } from '../process/process-view.ts';

/** What is asked of a watch: without `pattern` it tells of silence. */
export interface WatchOptions {
  /** Who is told. Default: the owner of the process. */
  readonly owner?: string;
  /** How long the screen, or where there is no terminal the output, must have stayed as it is. Default 5 s, at least 100 ms. */
  readonly quiet?: Duration;
  /** Tells of lines that match instead. A JavaScript regular expression, looked for in lines as they are seen. */
  readonly pattern?: string;
  /** Whether it stands in the record of a persistent process and comes back with it. Default `true`. */
  readonly kept?: boolean;
  /**
   * Called once when it is over, after its last news: its process has `ended` or was `released` by this supervisor, somebody took it back
   * (`cancelled`), another one of the same owner has `replaced` it, or it has `failed`. A watch that comes back from a record has none.
   */
  readonly onOver?: (how: WatchOver) => void;
}

/** One process has at most one watch for each owner. */
export interface WatchView {
  readonly processId: string;
  readonly owner: string;
  readonly wants:
    | { readonly type: 'quiet'; readonly quietMs: number }
    | { readonly type: 'pattern'; readonly pattern: string };
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** How often it has told. */
  readonly told: number;
}

/** What a watch tells. `id` is the same for the same news everywhere. `at` is milliseconds since the epoch. */
export type WatchNews = {
  readonly id: string;
  readonly at: number;
  readonly owner: string;
  readonly process: ProcessView;
} & (
  | {
      readonly type: 'watch.quiet';
      /** For so long nothing has changed. */
      readonly quietMs: number;
      /** What the screen shows, or the last lines of the output, without blank lines at the end. */
      readonly lines: readonly string[];
    }
  | {
      readonly type: 'watch.matched';
      readonly pattern: string;
      /** How many lines matched since the last news, all of them. */
      readonly matches: number;
      /** The newest of them. */
      readonly lines: readonly string[];
      /** How many of them are not shown. */
      readonly suppressed: number;
    }
  /**
   * It watches no more: the expression takes too long; the process has ended and the rest of its output cannot be read, or is not searched
   * because the supervisor stops; or, for a client from outside, somebody has taken its watch back.
   */
  | { readonly type: 'watch.failed'; readonly why: string }
);
