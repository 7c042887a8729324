import type { Cancel } from '../../clock/clock.ts';
import type { ConditionName } from '../../process/waited.ts';

/** A condition to wait for. Reports nothing after its watch was cancelled. */
export interface WaitCondition {
  readonly name: ConditionName;
  /**
   * Starts watching; may report before it returns. An impossible condition may become possible again and
   * hold.
   */
  watch(tell: { holds(): void; impossible(why: string): void }): Cancel;
  /**
   * Called while watched, when the process has ended: resolves with whether the condition holds once
   * everything was examined, and never if the watch is cancelled first. Without it, a condition not reported
   * by then does not hold.
   */
  settled?(): Promise<boolean>;
}
