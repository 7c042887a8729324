import type { Cancel, Clock } from '../../src/clock/clock.ts';

/** A clock that stands still until it is moved. */
export interface HandClock extends Clock {
  advance(ms: number): void;
}

export function createHandClock(): HandClock {
  let now = 0;
  let timers: { atMs: number; callback: () => void }[] = [];

  function at(atMs: number, callback: () => void): Cancel {
    const timer = { atMs, callback };
    timers.push(timer);
    return () => {
      timers = timers.filter((other) => other !== timer);
    };
  }

  return {
    at,
    nowMs: () => now,
    epochMs: () => now,
    advance(ms) {
      now += ms;
      const due = timers.filter(({ atMs }) => atMs <= now);
      timers = timers.filter(({ atMs }) => atMs > now);
      for (const { callback } of due) callback();
    },
  };
}
