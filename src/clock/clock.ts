/** Cancels a timer, a subscription or a watch. Further calls do nothing. */
export type Cancel = () => void;

/**
 * The only source of time in troupe. The real clock is monotonic, so that setting the wall clock forward ends
 * nothing; tests move the virtual clock by hand.
 */
export interface Clock {
  /** Milliseconds on a clock that never jumps. Its zero has no meaning: compare, never print. */
  nowMs(): number;
  /** Milliseconds since the epoch, for people and records only. */
  epochMs(): number;
  /** Like `nowMs`, with a zero shared by all programs until the machine reboots. Absent without such a clock. */
  machineMs?(): number;
  /**
   * Calls back once, when `nowMs()` has reached `atMs`; any finite value works, even beyond 2^31 - 1. A timer
   * keeps the program alive unless it is `idle`.
   */
  at(atMs: number, callback: () => void, options?: { idle?: boolean }): Cancel;
}
