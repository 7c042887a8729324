import { watchMachine } from '../../machines/watch/machine.ts';
import type { ActiveWatch } from './active-watch.ts';

/** Implements the effects of the chart of a watch: once for a supervisor, since providing copies the chart. */
export function provideWatchEffects({
  find,
  reportError,
}: {
  /** Returns `undefined` for a watch that is over. */
  readonly find: (id: string) => ActiveWatch | undefined;
  readonly reportError: (error: unknown) => void;
}): typeof watchMachine {
  /** Reports an effect that throws; the watch continues. */
  const withWatching = (id: string, effect: (watching: ActiveWatch) => void) => {
    try {
      const watching = find(id);
      if (watching !== undefined) effect(watching);
    } catch (error) {
      reportError(error);
    }
  };
  return watchMachine.provide({
    actions: {
      checkForChange: ({ context }) => withWatching(context.id, (it) => it.checkForChange()),
      awaitChange: ({ context }) => withWatching(context.id, (it) => it.awaitChange()),
      notifyQuiet: ({ context }) => withWatching(context.id, (it) => it.notifyQuiet()),
      notifyMatches: ({ context }, { count }) => withWatching(context.id, (it) => it.notifyMatches(count)),
      notifyFailure: ({ context }) => withWatching(context.id, (it) => it.notifyFailure()),
      armDeadline: ({ context }, order) => withWatching(context.id, (it) => it.arm(order)),
      disarmDeadline: ({ context }, { deadline }) => withWatching(context.id, (it) => it.disarm(deadline)),
    },
  });
}
