import type { DeadlineEvent, DeadlineName } from '../../machines/process/events.ts';
import type { DeadlineOrder } from '../../machines/process/setup.ts';
import type { Cancel, Clock } from '../clock/clock.ts';

/** Deadlines that one process has armed. */
export interface Deadlines {
  /** Arms or replaces a deadline. `from: 'start'` counts from `startedAtMs` (monotonic), `from: 'call'` from the creation of this object. */
  arm(order: DeadlineOrder, startedAtMs: number | null): void;
  disarm(name: DeadlineName): void;
  disarmAll(): void;
}

/** Deadlines of an ended process, whose chart arms none. */
export const noDeadlines: Deadlines = { arm: () => {}, disarm: () => {}, disarmAll: () => {} };

/** Delay from which a timer was late because the whole program was halted, asleep or busy. */
const lateFromMs = 20;
/** Time for facts from before a late deadline to arrive: a signal may reach another thread first, and files are read in several steps. */
const toSettleMs = (lateMs: number) => Math.min(500, 5 * lateMs);

/** Turns orders of the chart into timers of the clock, and timers into `deadline.*` events. */
export function createDeadlines(options: {
  clock: Clock;
  lastOutputAtMs: () => number;
  onReached: (event: DeadlineEvent) => void;
}): Deadlines {
  const { clock, lastOutputAtMs } = options;
  const armed = new Map<DeadlineName, Cancel>();
  const calledAtMs = clock.nowMs();

  const disarm = (name: DeadlineName) => {
    armed.get(name)?.();
    armed.delete(name);
  };

  const anchorMs = (from: DeadlineOrder['from'], startedAtMs: number | null) => {
    if (from === 'lastOutput') return lastOutputAtMs();
    if (from === 'call') return calledAtMs;
    return from === 'start' && startedAtMs !== null ? startedAtMs : clock.nowMs();
  };

  const arm: Deadlines['arm'] = (order, startedAtMs) => {
    const { deadline, afterMs, from } = order;
    disarm(deadline);
    if (afterMs === null) return;
    const dueAtMs = Math.max(anchorMs(from, startedAtMs) + afterMs, clock.nowMs());
    const reachedInTime = () => {
      const lateMs = clock.nowMs() - dueAtMs;
      if (lateMs < lateFromMs) reached();
      else armed.set(deadline, clock.at(clock.nowMs() + toSettleMs(lateMs), reached));
    };
    const reached = () => {
      armed.delete(deadline);
      // Bytes do not move the timer: a silence that was broken meanwhile counts from the last byte.
      const wasBroken = deadline === 'silence' && lastOutputAtMs() + afterMs > clock.nowMs();
      if (wasBroken) arm({ ...order, from: 'lastOutput' }, startedAtMs);
      else options.onReached({ type: `deadline.${deadline}`, atMs: clock.nowMs() } as DeadlineEvent);
    };
    // Leftovers do not keep this program running.
    const timing = { idle: deadline === 'look' };
    armed.set(deadline, clock.at(anchorMs(from, startedAtMs) + afterMs, reachedInTime, timing));
  };

  return {
    arm,
    disarm,
    disarmAll: () => {
      for (const name of [...armed.keys()]) disarm(name);
    },
  };
}
