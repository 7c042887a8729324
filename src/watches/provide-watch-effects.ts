import { watchMachine } from '../../machines/watch/machine.ts';
import type { Watching } from './watching.ts';

/** Fills in what the chart of a watch only names: once for a supervisor, since providing copies the chart. */
export function provideWatchEffects({
  find,
  reportError,
}: {
  /** `undefined` where it is over. */
  readonly find: (id: string) => Watching | undefined;
  readonly reportError: (error: unknown) => void;
}): typeof watchMachine {
  /** An effect that throws is told of; the watch goes on. */
  const withWatching = (id: string, effect: (watching: Watching) => void) => {
    try {
      const watching = find(id);
      if (watching !== undefined) effect(watching);
    } catch (error) {
      reportError(error);
    }
  };
  return watchMachine.provide({
    actions: {
      look: ({ context }) => withWatching(context.id, (it) => it.look()),
      awaitChange: ({ context }) => withWatching(context.id, (it) => it.awaitChange()),
      tellQuiet: ({ context }) => withWatching(context.id, (it) => it.tellQuiet()),
      tellMatches: ({ context }, { count }) => withWatching(context.id, (it) => it.tellMatches(count)),
      tellFailure: ({ context }) => withWatching(context.id, (it) => it.tellFailure()),
      armDeadline: ({ context }, order) => withWatching(context.id, (it) => it.arm(order)),
      disarmDeadline: ({ context }, { deadline }) => withWatching(context.id, (it) => it.disarm(deadline)),
    },
  });
}
