import type { Cancel, Clock } from '../../clock/clock.ts';
import type { ConditionName, WaitCondition } from './wait-condition.ts';

/** How a wait ended. */
export type WaitEnd =
  | { readonly type: 'met' }
  /** The process has ended, and with it what was waited for. */
  | { readonly type: 'ended' }
  | { readonly type: 'timeout' }
  | { readonly type: 'interrupted' }
  /** `why` begins with the name of the condition; where each of several cannot be, all of their reasons stand there. */
  | { readonly type: 'impossible'; readonly why: string };

interface ConditionsResult {
  readonly end: WaitEnd;
  /** Those that held, in the order in which they were told. */
  readonly met: readonly ConditionName[];
  readonly missing: readonly ConditionName[];
  /** Why some of the missing could not come true, each beginning with the name of its condition. */
  readonly impossible: readonly string[];
  readonly waitedMs: number;
}

/**
 * Waits until one of the conditions holds, or each of them has held. What is true already ends it at once; the end of the
 * process, the time and an interruption end it in any case, and so does what is impossible: of `all` one condition, of `any` each of
 * them. Nothing is left watched.
 */
export function awaitConditions(options: {
  conditions: readonly WaitCondition[];
  mode: 'any' | 'all';
  /** The end of the process; may be one of the conditions. Before it counts, the others may say what holds by then. */
  last: WaitCondition;
  /** `null`: as long as it takes. */
  timeoutMs: number | null;
  clock: Clock;
  interrupt: AbortSignal | null;
}): Promise<ConditionsResult> {
  const { conditions, mode, last, timeoutMs, clock, interrupt } = options;
  const startMs = clock.nowMs();
  const met: ConditionName[] = [];
  const reasons = new Map<ConditionName, string>();
  return new Promise((resolve) => {
    const cancels = new Map<WaitCondition | 'time' | 'interrupt', Cancel>();
    let isOver = false;

    const isMissing = ({ name }: WaitCondition) => !met.includes(name);
    const end = (how: WaitEnd) => {
      if (isOver) return;
      isOver = true;
      for (const cancel of cancels.values()) cancel();
      const missing = conditions.filter(isMissing).map(({ name }) => name);
      const impossible = missing.flatMap((name) => reasons.get(name) ?? []);
      resolve({ end: how, met, missing, impossible, waitedMs: Math.round(clock.nowMs() - startMs) });
    };
    const hold = (condition: WaitCondition) => {
      if (isOver || !isMissing(condition)) return;
      met.push(condition.name);
      cancels.get(condition)?.();
      if (mode === 'any' || met.length === conditions.length) end({ type: 'met' });
    };
    const rule = (condition: WaitCondition, why: string) => {
      reasons.set(condition.name, `${condition.name}: ${why}`);
      const isHopeless = mode === 'all' || condition === last || reasons.size === conditions.length;
      if (isHopeless) end({ type: 'impossible', why: [...reasons.values()].join('; ') });
    };
    const begin = (condition: WaitCondition, holds: () => void) => {
      if (isOver) return;
      const cancel = condition.watch({ holds, impossible: (why) => rule(condition, why) });
      if (isOver || !isMissing(condition)) cancel();
      else cancels.set(condition, cancel);
    };
    const settle = async (condition: WaitCondition) => {
      if ((await condition.settled?.()) === true) hold(condition);
    };
    const endWithProcess = async () => {
      const open = conditions.filter((each) => isMissing(each) && each.settled !== undefined);
      // What has ended already is told before anything else could end the wait.
      if (open.length > 0) await Promise.allSettled(open.map(settle));
      if (conditions.includes(last)) hold(last);
      end({ type: 'ended' });
    };

    for (const condition of conditions) if (condition !== last) begin(condition, () => hold(condition));
    begin(last, () => void endWithProcess());
    if (isOver) return;
    const interrupted = () => end({ type: 'interrupted' });
    interrupt?.addEventListener('abort', interrupted, { once: true });
    cancels.set('interrupt', () => interrupt?.removeEventListener('abort', interrupted));
    if (timeoutMs !== null) {
      cancels.set(
        'time',
        clock.at(startMs + timeoutMs, () => end({ type: 'timeout' })),
      );
    }
    if (interrupt?.aborted) interrupted();
  });
}
