import { TroupeError } from '../config/troupe-error.ts';
import type { Clock } from './clock.ts';
import { createTimerHeap, type HeapEntry } from './timer-heap.ts';

/** setTimeout fires at once beyond 2^31 - 1 ms, so longer waits are split. */
const longestTimeoutMs = 2 ** 31 - 1;

interface Timer extends HeapEntry {
  readonly idle: boolean;
  /** `null` once called or cancelled, so that a cancelled timer retains nothing of its owner. */
  callback: (() => void) | null;
}

/**
 * Creates a clock on the machine's monotonic time, with one `setTimeout` for all timers: arming and
 * cancelling cost O(log n), a cancelled timer is released at once, and the program stays alive exactly while
 * a timer that is not `idle` waits.
 *
 * Timers due together are called in the order of their times, then of arming. One that throws does not stop
 * the others: its error reaches `uncaughtException`, as from a `setTimeout`.
 *
 * The event loop polls once before timers are called. After the program was stopped, asleep or busy, timers
 * and events are due at once, and Node would call the timers first: a command that ended in time would be
 * reported late.
 */
export function createRealClock(): Clock {
  const waiting = createTimerHeap<Timer>();
  let busyCount = 0;
  let timeout: NodeJS.Timeout | null = null;
  let timeoutAtMs = Number.POSITIVE_INFINITY;
  let isPolling = false;

  const at: Clock['at'] = (atMs, callback, options) => {
    if (!Number.isFinite(atMs)) {
      throw new TroupeError({
        code: 'invalid-option',
        message: `atMs must be a finite number of milliseconds, got ${atMs}`,
      });
    }
    const timer: Timer = { atMs, index: -1, order: 0, idle: options?.idle ?? false, callback };
    waiting.add(timer);
    if (!timer.idle) busyCount += 1;
    schedule();
    return () => cancel(timer);
  };

  function cancel(timer: Timer): void {
    timer.callback = null;
    if (timer.index === -1) return;
    waiting.remove(timer);
    if (!timer.idle) busyCount -= 1;
    schedule();
  }

  /**
   * Sets a new timeout only for an earlier timer: a timeout that fires too early finds nothing due and is set
   * again.
   */
  function schedule(): void {
    if (isPolling) return;
    const next = waiting.first();
    if (next === null) {
      stop();
      return;
    }
    if (timeout === null || next.atMs < timeoutAtMs) {
      stop();
      timeoutAtMs = next.atMs;
      timeout = setTimeout(
        runAfterPoll,
        Math.min(Math.max(1, Math.ceil(next.atMs - nowMs())), longestTimeoutMs),
      );
    }
    if (busyCount > 0) timeout.ref();
    else timeout.unref();
  }

  function stop(): void {
    if (timeout !== null) clearTimeout(timeout);
    timeout = null;
    timeoutAtMs = Number.POSITIVE_INFINITY;
  }

  /**
   * Runs timers in the check phase, which follows the poll phase; see `setImmediate`. No other timeout is set
   * until then. Timers that become due during the poll wait for the next one, which sees what came meanwhile.
   */
  function runAfterPoll(): void {
    const dueMs = nowMs();
    stop();
    isPolling = true;
    setImmediate(() => {
      isPolling = false;
      for (const timer of takeDue(dueMs)) run(timer);
      schedule();
    });
  }

  /**
   * Removes all due timers before one is run, so that a callback that arms another for now waits for the next
   * turn.
   */
  function takeDue(untilMs: number): readonly Timer[] {
    const due: Timer[] = [];
    for (let next = waiting.first(); next !== null && next.atMs <= untilMs; next = waiting.first()) {
      waiting.remove(next);
      if (!next.idle) busyCount -= 1;
      due.push(next);
    }
    return due;
  }

  return {
    nowMs,
    epochMs: () => Date.now(),
    // clock_gettime(CLOCK_MONOTONIC); `performance.now` counts from the start of the program.
    machineMs: () => Number(process.hrtime.bigint()) / 1e6,
    at,
  };
}

function nowMs(): number {
  return performance.now();
}

/** Runs a timer, unless one that was due together with it has cancelled it. */
function run(timer: Timer): void {
  const { callback } = timer;
  timer.callback = null;
  try {
    callback?.();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
