import type { Cancel } from '../../clock/clock.ts';

/** Something that a wait is for. It is told of once, and nothing after its watch was cancelled. */
export interface WaitCondition {
  readonly name: 'exit' | 'text' | 'pattern' | 'ready' | 'quiet';
  /** May tell before it returns. */
  watch(tell: { holds(): void; impossible(why: string): void }): Cancel;
}
