import type { Cancel } from '../../clock/clock.ts';

/** What a wait can be for, as its options name it. */
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

/** Something that a wait is for. Nothing is told of it after its watch was cancelled. */
export interface WaitCondition {
  readonly name: ConditionName;
  /** May tell before it returns. What is impossible may become possible again, and hold after all. */
  watch(tell: { holds(): void; impossible(why: string): void }): Cancel;
  /**
   * Asked while it is watched, when the process has ended: resolves with whether it holds once all that there is of it was looked at, and
   * never where the watch is cancelled first. Without it, what was not told by then does not hold.
   */
  settled?(): Promise<boolean>;
}
