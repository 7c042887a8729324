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

/** Something that a wait is for. It is told of once, and nothing after its watch was cancelled. */
export interface WaitCondition {
  readonly name: ConditionName;
  /** May tell before it returns. */
  watch(tell: { holds(): void; impossible(why: string): void }): Cancel;
  /** For what is looked at from time to time: whether it holds now, at the end of the process. */
  holdsNow?(): boolean | Promise<boolean>;
}
