import type { Cancel, Clock } from '../../clock/clock.ts';
import type { ProcessHandle } from '../../process/process-handle.ts';
import type { WaitCondition } from './wait-condition.ts';

/** Holds when nothing was printed for so long, counted from the beginning of the wait at the earliest. */
export function quietCondition(
  quietMs: number,
  { handle, clock }: { handle: ProcessHandle; clock: Clock },
): WaitCondition {
  return {
    name: 'quiet',
    watch: ({ holds }) => {
      let lastMs = clock.nowMs();
      let cancel: Cancel = () => {};
      // Armed anew only when it is due: a process may print a thousand times a second.
      const arm = () => {
        cancel = clock.at(lastMs + quietMs, () => (clock.nowMs() >= lastMs + quietMs ? holds() : arm()));
      };
      const subscription = handle.output$.subscribe(() => {
        lastMs = clock.nowMs();
      });
      arm();
      return () => {
        cancel();
        subscription.unsubscribe();
      };
    },
  };
}
