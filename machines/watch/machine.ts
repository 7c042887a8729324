import { createWatchContext, toQuietDelayMs, toWindowMs, type WatchContext } from './context.ts';
import type { WatchEvent } from './events.ts';
import { watchSetup } from './setup.ts';

/** Reports lines that have just matched. */
const notifyNow = {
  type: 'notifyMatches' as const,
  params: ({ event }: { event: WatchEvent }) => ({
    count: event.type === 'lines.matched' ? event.count : 0,
  }),
};

/** Reports lines that matched during the window. */
const notifyCounted = [
  {
    type: 'notifyMatches' as const,
    params: ({ context }: { context: WatchContext }) => ({ count: context.matches }),
  },
  'resetMatches' as const,
];

/** Notifies an owner once when a process goes quiet, or when lines match. Ends with the process at the latest. */
export const watchMachine = watchSetup.createMachine({
  id: 'watch',
  description: 'One condition on which an owner is notified of a live process.',
  context: ({ input }) => createWatchContext(input),
  initial: 'watching',
  states: {
    watching: {
      description: 'The process lives and the watch is active.',
      initial: 'begun',
      on: {
        'process.ended': [
          { guard: 'hasMatches', target: 'ended', actions: notifyCounted },
          { target: 'ended' },
        ],
        'process.released': 'released',
        'watch.cancel': 'cancelled',
        'watch.replace': 'replaced',
      },
      states: {
        begun: {
          description: 'The condition decides which branch is taken.',
          always: [{ guard: 'isForSilence', target: 'silence' }, { target: 'lines' }],
        },
        silence: {
          description: 'The owner is notified once of each silence.',
          initial: 'counting',
          states: {
            counting: {
              description: 'The quiet time is not over; changes meanwhile are looked up at its end.',
              entry: {
                type: 'armDeadline',
                params: ({ context }) => ({ deadline: 'quiet', afterMs: toQuietDelayMs(context) }),
              },
              exit: { type: 'disarmDeadline', params: { deadline: 'quiet' } },
              on: { 'deadline.quiet': 'checking' },
            },
            checking: {
              description: 'The quiet time is over; the process is checked once more.',
              entry: 'checkForChange',
              on: {
                'change.seen': { target: 'counting', actions: 'countFromChange' },
                'stillness.confirmed': { target: 'notified', actions: 'notifyQuiet' },
              },
            },
            notified: {
              description: 'The owner was notified; the next change starts a new count.',
              entry: 'awaitChange',
              on: { 'change.seen': { target: 'counting', actions: 'countFromChange' } },
            },
          },
        },
        lines: {
          description: 'The owner is notified of matching lines, at a limited rate.',
          initial: 'listening',
          on: {
            'search.failed': [
              { guard: 'hasMatches', target: '#watch.failed', actions: [...notifyCounted, 'notifyFailure'] },
              { target: '#watch.failed', actions: 'notifyFailure' },
            ],
          },
          states: {
            listening: {
              description: 'The next matching line is reported at once.',
              on: { 'lines.matched': { target: 'throttling', actions: notifyNow } },
            },
            throttling: {
              description: 'Matching lines are counted and reported together at the end of the window.',
              entry: {
                type: 'armDeadline',
                params: ({ context }) => ({ deadline: 'window', afterMs: toWindowMs(context) }),
              },
              exit: { type: 'disarmDeadline', params: { deadline: 'window' } },
              on: {
                'lines.matched': { actions: 'countMatches' },
                'deadline.window': [
                  { guard: 'hasMatches', target: 'throttling', reenter: true, actions: notifyCounted },
                  { target: 'listening' },
                ],
              },
            },
          },
        },
      },
    },
    ended: {
      description: 'The process has ended.',
      type: 'final',
    },
    released: {
      description: 'The process continues elsewhere; the supervisor that adopts it continues the watch.',
      type: 'final',
    },
    cancelled: {
      description: 'The watch was cancelled.',
      type: 'final',
    },
    replaced: {
      description: 'Another watch of the same owner has replaced this one.',
      type: 'final',
    },
    failed: {
      description: 'The expression takes too long; the process continues unwatched.',
      type: 'final',
    },
  },
});
