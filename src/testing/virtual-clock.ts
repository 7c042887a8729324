import type { Cancel, Clock } from '../clock/clock.ts';

/** A clock that stands still until it is moved: hours pass instantly, and always in the same order. */
export interface VirtualClock extends Clock {
  /** Advances the time and runs due callbacks at their own times, including those armed meanwhile. */
  advance(ms: number): void;
  /** Number of waiting callbacks. */
  readonly pending: number;
  /** Time of the earliest waiting callback, on this clock; `null` where none waits. */
  readonly nextAtMs: number | null;
}

interface Entry {
  readonly atMs: number;
  readonly order: number;
  readonly callback: () => void;
}

export function createVirtualClock(options: { epochMs?: number } = {}): VirtualClock {
  const startEpochMs = options.epochMs ?? Date.UTC(2026, 0, 1);
  const entries = new Set<Entry>();
  let timeMs = 0;
  let order = 0;

  const at = (atMs: number, callback: () => void): Cancel => {
    order += 1;
    const entry = { atMs, order, callback };
    entries.add(entry);
    return () => entries.delete(entry);
  };

  const nextDue = (untilMs: number): Entry | null => {
    let next: Entry | null = null;
    for (const entry of entries) {
      if (entry.atMs > untilMs) continue;
      if (next === null || entry.atMs < next.atMs || (entry.atMs === next.atMs && entry.order < next.order))
        next = entry;
    }
    return next;
  };

  return {
    nowMs: () => timeMs,
    epochMs: () => startEpochMs + timeMs,
    at,
    advance: (ms) => {
      const untilMs = timeMs + ms;
      for (let entry = nextDue(untilMs); entry !== null; entry = nextDue(untilMs)) {
        entries.delete(entry);
        timeMs = Math.max(timeMs, entry.atMs);
        entry.callback();
      }
      timeMs = untilMs;
    },
    get pending() {
      return entries.size;
    },
    get nextAtMs() {
      return nextDue(Number.POSITIVE_INFINITY)?.atMs ?? null;
    },
  };
}
