import type { Cancel, Clock } from '../../clock/clock.ts';
import type { ConditionName, WaitEnd } from '../../process/waited.ts';
import type { WaitCondition } from './wait-condition.ts';

interface ConditionsResult {
  readonly end: WaitEnd;
  /** The conditions that were met, in that order. */
  readonly met: readonly ConditionName[];
  readonly missing: readonly ConditionName[];
  /** Reasons why some of the missing conditions could not be met, each beginning with the name of its condition. */
  readonly impossible: readonly string[];
  readonly waitedMs: number;
}

/**
 * Waits until one condition, or each of them, has been met. A condition that holds already ends the wait at
 * once. So do the end of the process, the timeout, an interruption, and impossibility: of one condition with
 * `all`, of each with `any`. Nothing stays watched.
 */
export function awaitConditions(options: {
  conditions: readonly WaitCondition[];
  mode: 'any' | 'all';
  /**
   * The end of the process, which may be one of the conditions. The other conditions are settled before it
   * counts.
   */
  last: WaitCondition;
  /** `null`: no timeout. */
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
      // A process that has already ended counts before anything else can end the wait.
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
