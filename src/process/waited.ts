import type { ProcessView } from './process-view.ts';

/** The names of conditions, as in the options of a wait. */
export type ConditionName =
  | 'exit'
  | 'text'
  | 'pattern'
  | 'ready'
  | 'quiet'
  | 'port'
  | 'portFree'
  | 'http'
  | 'file'
  | 'input';

/** The outcome of a wait. */
export type WaitEnd =
  | { readonly type: 'met' }
  /** The process has ended before the conditions were met. */
  | { readonly type: 'ended' }
  | { readonly type: 'timeout' }
  | { readonly type: 'interrupted' }
  /** `why` begins with the name of the condition; several reasons are joined. */
  | { readonly type: 'impossible'; readonly why: string };

/** Result of a wait, with the conditions that were met. */
export interface Waited {
  readonly end: WaitEnd;
  /** The conditions that were met, in that order. */
  readonly met: readonly ConditionName[];
  readonly missing: readonly ConditionName[];
  /**
   * Reasons why some of the missing conditions could not be met, such as `port: …`; with `any` the wait
   * continued for the others.
   */
  readonly impossible: readonly string[];
  readonly waitedMs: number;
  /** The newest line that contains the text or matches the pattern, if one was found. */
  readonly matchedLine: string | null;
  /** The current state of the process. */
  readonly process: ProcessView;
}
