import type { Cancel, Clock } from '../clock/clock.ts';

const firstPauseMs = 20;
const longestPauseMs = 250;

/** Calls `look` at once and then repeatedly until cancelled, one call at a time, with pauses that grow from 20 ms to 250 ms. */
export function poll(clock: Clock, look: () => Promise<void>): Cancel {
  let isCancelled = false;
  let pauseMs = firstPauseMs;
  let cancelTimer: Cancel = () => {};

  async function turn(): Promise<void> {
    // A failed look, for example without a free descriptor, is repeated.
    await look().catch(() => {});
    if (isCancelled) return;
    cancelTimer = clock.at(clock.nowMs() + pauseMs, () => void turn());
    pauseMs = Math.min(pauseMs * 1.5, longestPauseMs);
  }

  void turn();
  return () => {
    isCancelled = true;
    cancelTimer();
  };
}
