import type { Cancel } from '../clock/clock.ts';

/** Condition that must hold before a process counts as ready. */
export interface ReadinessCondition {
  /** Returns the end of the sentence "not ready, it waits for …". */
  describe(): string;
  /**
   * Observes until cancelled and reports that the condition holds or cannot hold any more. May call back before it returns, more than
   * once, and during the cancellation; only the first call counts.
   */
  watch(observer: ConditionObserver): Cancel;
}

interface ConditionObserver {
  onHolds(): void;
  onImpossible(why: string): void;
}
