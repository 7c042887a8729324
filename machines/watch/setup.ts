import { assign, setup } from 'xstate';
import { notProvided } from '../not-provided.ts';
import type { WatchContext, WatchInput } from './context.ts';
import type { WatchDeadlineName, WatchEvent } from './events.ts';

export const watchSetup = setup({
  types: {
    context: {} as WatchContext,
    events: {} as WatchEvent,
    input: {} as WatchInput,
  },
  actions: {
    /** Reports `change.seen` if something changed within the time, else `stillness.confirmed`. */
    checkForChange: () => notProvided('checkForChange'),
    /** Reports `change.seen`, once. */
    awaitChange: () => notProvided('awaitChange'),
    notifyQuiet: () => notProvided('notifyQuiet'),
    /** `count` lines have matched since the last notification. */
    notifyMatches: (_, _news: { count: number }) => notProvided('notifyMatches'),
    notifyFailure: () => notProvided('notifyFailure'),
    armDeadline: (_, _order: { deadline: WatchDeadlineName; afterMs: number }) => notProvided('armDeadline'),
    disarmDeadline: (_, _order: { deadline: WatchDeadlineName }) => notProvided('disarmDeadline'),

    countFromChange: assign(({ event }) =>
      event.type === 'change.seen' ? { changedAgoMs: event.agoMs } : {},
    ),
    countMatches: assign(({ context, event }) =>
      event.type === 'lines.matched' ? { matches: context.matches + event.count } : {},
    ),
    resetMatches: assign({ matches: 0 }),
  },
  guards: {
    isForSilence: ({ context }) => context.wants.type === 'quiet',
    hasMatches: ({ context }) => context.matches > 0,
  },
});
