/** Serves many in turns, one request of each at a time, and lets the program do its own work in between. */
export interface Turns {
  /** `serve` is called soon, and again after all others as long as it answers that more is waiting. */
  join(serve: () => boolean): void;
  leave(serve: () => boolean): void;
}

/** So long requests may hold the event loop at a stretch; one that takes longer by itself is not interrupted. */
const BUDGET_MS = 2;

export function createTurns(): Turns {
  const waiting = new Set<() => boolean>();
  let isScheduled = false;

  const schedule = () => {
    // An unref'd one would wait until something else wakes the event loop. What is waiting is bounded, so the program's end is not held up.
    if (!isScheduled) setImmediate(run);
    isScheduled = true;
  };
  const run = () => {
    isScheduled = false;
    const untilMs = performance.now() + BUDGET_MS;
    for (const serve of waiting) {
      waiting.delete(serve);
      // Added again it stands behind all others, and this walk comes to it in time.
      if (serve()) waiting.add(serve);
      if (performance.now() > untilMs) break;
    }
    if (waiting.size > 0) schedule();
  };

  return {
    join: (serve) => {
      waiting.add(serve);
      schedule();
    },
    leave: (serve) => void waiting.delete(serve),
  };
}
