import type { Cancel, Clock } from '../../clock/clock.ts';
import type { ConditionName, WaitCondition } from './wait-condition.ts';

/** How a wait ended. */
export type WaitEnd =
  | { readonly type: 'met' }
  /** The process has ended, and with it what was waited for. */
  | { readonly type: 'ended' }
  | { readonly type: 'timeout' }
  | { readonly type: 'interrupted' }
  /** `why` begins with the name of the condition. */
  | { readonly type: 'impossible'; readonly why: string };

export interface ConditionsResult {
  readonly end: WaitEnd;
  /** Those that held, in the order in which they were told. */
  readonly met: readonly ConditionName[];
  readonly missing: readonly ConditionName[];
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
  /** `null`: as long as it takes. */
  timeoutMs: number | null;
  clock: Clock;
  interrupt: AbortSignal | null;
}): Promise<ConditionsResult> {
  const { conditions, mode, last, timeoutMs, clock, interrupt } = options;
  const startMs = clock.nowMs();
  const met: ConditionName[] = [];
  return new Promise((resolve) => {
    const cancels: Cancel[] = [];
    let isOver = false;

    const isMissing = ({ name }: WaitCondition) => !met.includes(name);
    const end = (how: WaitEnd) => {
      if (isOver) return;
      isOver = true;
      for (const cancel of cancels) cancel();
      const missing = conditions.filter(isMissing).map(({ name }) => name);
      resolve({ end: how, met, missing, waitedMs: Math.round(clock.nowMs() - startMs) });
    };
    const hold = (condition: WaitCondition) => {
      if (isOver || !isMissing(condition)) return;
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
    const endWithProcess = async () => {
      const seldom = conditions.filter((each) => isMissing(each) && each.holdsNow !== undefined);
      if (seldom.length > 0) {
        const looked = seldom.map(async (each) =>
          (await each.holdsNow?.()) === true ? hold(each) : undefined,
        );
        await Promise.allSettled(looked);
      }
      end({ type: 'ended' });
    };

    for (const condition of conditions) begin(condition, () => hold(condition));
    begin(last, () => void endWithProcess());
    if (isOver) return;
    const interrupted = () => end({ type: 'interrupted' });
    interrupt?.addEventListener('abort', interrupted, { once: true });
    cancels.push(() => interrupt?.removeEventListener('abort', interrupted));
    if (timeoutMs !== null) cancels.push(clock.at(startMs + timeoutMs, () => end({ type: 'timeout' })));
    if (interrupt?.aborted) interrupted();
  });
}
