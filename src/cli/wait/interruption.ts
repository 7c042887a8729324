import type { Clock } from '../../clock/clock.ts';
import { onEndSignal, toSignalCode } from '../end-signals.ts';
import { exitCodes } from '../exit-code.ts';

/** What ended a wait before what was waited for: an exit code. */
export type Interruption = { readonly interruptedWith: number };

/** Resolves at a signal that asks us to end, or when the time is over. */
export function watchForInterruption({
  timeoutMs,
  clock,
}: {
  readonly timeoutMs: number | null;
  readonly clock: Clock;
}) {
  const { promise, resolve } = Promise.withResolvers<Interruption>();
  const removeSignals = onEndSignal((signal) => resolve({ interruptedWith: toSignalCode(signal) }));
  const cancelTimer =
    timeoutMs === null
      ? () => {}
      : clock.at(clock.nowMs() + timeoutMs, () => resolve({ interruptedWith: exitCodes.timedOut }));
  return {
    promise,
    cancel: () => {
      removeSignals();
      cancelTimer();
    },
  };
}
