import { watchMachine } from '../../machines/watch/machine.ts';
import type { ActiveWatch } from './active-watch.ts';

/** Fills in what the chart of a watch only names: once for a supervisor, since providing copies the chart. */
export function provideWatchEffects({
  find,
  reportError,
}: {
  /** `undefined` where it is over. */
  readonly find: (id: string) => ActiveWatch | undefined;
  readonly reportError: (error: unknown) => void;
}): typeof watchMachine {
  /** An effect that throws is told of; the watch goes on. */
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
