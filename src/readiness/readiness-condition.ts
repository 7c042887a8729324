import type { Cancel } from '../clock/clock.ts';

/** One of the things that must hold before a process counts as ready. */
export interface ReadinessCondition {
  /** What it waits for: the end of the sentence "not ready, it waits for …". */
  describe(): string;
  /**
   * Looks until it is cancelled, and says when it holds or cannot hold any more. May call back before it returns, more
   * than once, and once more while it is being cancelled: the first word counts.
   */
  watch(observer: ConditionObserver): Cancel;
}

interface ConditionObserver {
  onHolds(): void;
  onImpossible(why: string): void;
}
