import { assign, setup } from 'xstate';
import { unfilled } from '../unfilled.ts';
import type { WatchContext, WatchInput } from './context.ts';
import type { WatchDeadlineName, WatchEvent } from './events.ts';

export const watchSetup = setup({
  types: {
    context: {} as WatchContext,
    events: {} as WatchEvent,
    input: {} as WatchInput,
  },
  actions: {
    /** Answers `change.seen` where something has changed within the time, else `stillness.confirmed`. */
    look: () => unfilled('look'),
    /** Answers `change.seen`, once. */
    awaitChange: () => unfilled('awaitChange'),
    tellQuiet: () => unfilled('tellQuiet'),
    /** `count` lines have matched since the last news. */
    tellMatches: (_, _news: { count: number }) => unfilled('tellMatches'),
    tellFailure: () => unfilled('tellFailure'),
    armDeadline: (_, _order: { deadline: WatchDeadlineName; afterMs: number }) => unfilled('armDeadline'),
    disarmDeadline: (_, _order: { deadline: WatchDeadlineName }) => unfilled('disarmDeadline'),

    countFromChange: assign(({ event }) =>
      event.type === 'change.seen' ? { changedAgoMs: event.agoMs } : {},
    ),
    countMatches: assign(({ context, event }) =>
      event.type === 'lines.matched' ? { matches: context.matches + event.count } : {},
    ),
    forgetMatches: assign({ matches: 0 }),
  },
  guards: {
    isForSilence: ({ context }) => context.wants.type === 'quiet',
    hasMatches: ({ context }) => context.matches > 0,
  },
});
