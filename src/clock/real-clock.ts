import { TroupeError } from '../config/troupe-error.ts';
import type { Clock } from './clock.ts';
import { createTimerHeap, type HeapEntry } from './timer-heap.ts';

/** setTimeout fires at once beyond 2^31 - 1 ms; longer waits are made of several. */
const longestTimeoutMs = 2 ** 31 - 1;

interface Timer extends HeapEntry {
  readonly idle: boolean;
  /** `null` once it was called or cancelled, so that a cancelled timer holds nothing of its owner. */
  callback: (() => void) | null;
}

/**
 * The machine's monotonic clock, with one `setTimeout` for all that wait on it: arming and cancelling costs
 * O(log n), a cancelled timer is forgotten at once, and the program is kept alive exactly while a timer that is not
 * `idle` waits.
 *
 * Timers due together are called in the order of their times, then of their arming. One that throws does not
 * stop the others: its error is thrown on its own afterwards and reaches `uncaughtException`, as from a
 * `setTimeout`.
 *
 * What the system has to tell comes first: before timers are called, the event loop has polled once. A program that was halted, slept or was
 * busy finds timers due and facts waiting at once, and Node would call the timers first: a command that ended in time would be late.
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

  /** A timeout that fires too early finds nothing due and is set again: only an earlier timer needs a new one now. */
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

  /** The check phase follows the poll phase; see `setImmediate`. Until then no other timeout is set. */
  function runAfterPoll(): void {
    stop();
    isPolling = true;
    setImmediate(() => {
      isPolling = false;
      for (const timer of takeDue(nowMs())) run(timer);
      schedule();
    });
  }

  /** All are taken before one is run: a callback that arms itself for now waits for the next turn. */
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
    // clock_gettime(CLOCK_MONOTONIC), which `performance.now` counts from the start of the program.
    machineMs: () => Number(process.hrtime.bigint()) / 1e6,
    at,
  };
}

function nowMs(): number {
  return performance.now();
}

/** Without a callback it was cancelled by one that was due together with it. */
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
