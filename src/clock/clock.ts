/** Ends what it was given for: a timer, a subscription, a watch. Calling it again does nothing. */
export type Cancel = () => void;

/**
 * The only source of time in troupe. The real one follows the machine's monotonic clock, so that setting the wall
 * clock forward ends nothing; the virtual one is moved by hand in tests.
 */
export interface Clock {
  /** Milliseconds on a clock that never jumps. Its zero means nothing: compare, never print. */
  nowMs(): number;
  /** Milliseconds since the epoch, for people and records only. */
  epochMs(): number;
  /** Like `nowMs`, with a zero that all programs share until the machine is started anew. Absent where there is no such clock. */
  machineMs?(): number;
  /**
   * Calls back once, when `nowMs()` has reached `atMs`; any finite value works, also beyond 2^31 - 1.
   * A timer keeps the program alive unless it is `idle`.
   */
  at(atMs: number, callback: () => void, options?: { idle?: boolean }): Cancel;
}
