import type { Cancel, Clock } from '../../clock/clock.ts';
import type { WaitCondition } from './wait-condition.ts';

/** How a wait ended. */
export type WaitEnd =
  | { readonly type: 'met' }
  /** The process has ended, and with it what was waited for. */
  | { readonly type: 'ended' }
  | { readonly type: 'timeout' }
  | { readonly type: 'interrupted' }
  | { readonly type: 'impossible'; readonly why: string };

export interface WaitResult {
  readonly end: WaitEnd;
  /** The names of those that held, in the order in which they were told. */
  readonly met: readonly WaitCondition['name'][];
  readonly waitedMs: number;
}

/**
 * Waits until one of the conditions holds, or each of them has held. What is true already ends it at once; the end of the
 * process, the time and an interruption end it in any case. Nothing is left watched.
 */
export function awaitConditions(options: {
  conditions: readonly WaitCondition[];
  mode: 'any' | 'all';
  /** Holds when no other condition can become true any more. */
  last: WaitCondition;
  timeoutMs: number;
  clock: Clock;
  interrupt: AbortSignal;
}): Promise<WaitResult> {
  const { conditions, mode, last, timeoutMs, clock, interrupt } = options;
  const startMs = clock.nowMs();
  const met: WaitCondition['name'][] = [];
  return new Promise((resolve) => {
    const cancels: Cancel[] = [];
    let isOver = false;

    const end = (how: WaitEnd) => {
      if (isOver) return;
      isOver = true;
      for (const cancel of cancels) cancel();
      resolve({ end: how, met, waitedMs: Math.round(clock.nowMs() - startMs) });
    };
    const hold = (condition: WaitCondition) => {
      if (isOver || met.includes(condition.name)) return;
      met.push(condition.name);
      if (mode === 'any' || met.length === conditions.length) end({ type: 'met' });
    };
    const begin = (condition: WaitCondition, holds: () => void) => {
      if (isOver) return;
      const cancel = condition.watch({
        holds,
        impossible: (why) => end({ type: 'impossible', why: `${condition.name}: ${why}` }),
      });
      if (isOver) cancel();
      else cancels.push(cancel);
    };

    for (const condition of conditions) begin(condition, () => hold(condition));
    begin(last, () => end({ type: 'ended' }));
    if (isOver) return;
    const interrupted = () => end({ type: 'interrupted' });
    interrupt.addEventListener('abort', interrupted, { once: true });
    cancels.push(() => interrupt.removeEventListener('abort', interrupted));
    cancels.push(clock.at(startMs + timeoutMs, () => end({ type: 'timeout' })));
    if (interrupt.aborted) interrupted();
  });
}
