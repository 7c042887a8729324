import type { DeadlineEvent, DeadlineName } from '../../machines/process/events.ts';
import type { DeadlineOrder } from '../../machines/process/setup.ts';
import type { Cancel, Clock } from '../clock/clock.ts';

/** The deadlines that one process has armed. */
export interface Deadlines {
  /** `startedAtMs`: the monotonic time from which `from: 'start'` counts. `from: 'call'` counts from the creation of this. */
  arm(order: DeadlineOrder, startedAtMs: number | null): void;
  disarm(name: DeadlineName): void;
  disarmAll(): void;
}

/** Of a process that has ended: its chart arms nothing any more. */
export const noDeadlines: Deadlines = { arm: () => {}, disarm: () => {}, disarmAll: () => {} };

/** A deadline that comes so late was held up with the whole program: it was halted, slept or was busy. */
const lateFromMs = 20;
/** Then the system has time to tell what happened meanwhile: a signal may reach another thread first, and files are read in several steps. */
const toSettleMs = (lateMs: number) => Math.min(500, 5 * lateMs);

/** Turns the orders of the chart into times on the clock, and the times into `deadline.*` events. */
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
      // Bytes do not move a timer: a silence that was broken in between is counted from the last byte on.
      const wasBroken = deadline === 'silence' && lastOutputAtMs() + afterMs > clock.nowMs();
      if (wasBroken) arm({ ...order, from: 'lastOutput' }, startedAtMs);
      else options.onReached({ type: `deadline.${deadline}`, atMs: clock.nowMs() } as DeadlineEvent);
    };
    armed.set(deadline, clock.at(anchorMs(from, startedAtMs) + afterMs, reachedInTime));
  };

  return {
    arm,
    disarm,
    disarmAll: () => {
      for (const name of [...armed.keys()]) disarm(name);
    },
  };
}
