import type { Cancel, Clock } from '../clock/clock.ts';

const firstPauseMs = 20;
const longestPauseMs = 250;

/** Looks at once and then again and again, from every 20 ms to every 250 ms, one look at a time, until it is cancelled. */
export function poll(clock: Clock, look: () => Promise<void>): Cancel {
  let isCancelled = false;
  let pauseMs = firstPauseMs;
  let cancelTimer: Cancel = () => {};

  async function turn(): Promise<void> {
    // What could not be looked at now, for want of a descriptor perhaps, is looked at again.
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
