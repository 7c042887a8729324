import { createWatchContext, toQuietDelayMs, toWindowMs, type WatchContext } from './context.ts';
import type { WatchEvent } from './events.ts';
import { watchSetup } from './setup.ts';

/** What has just matched. */
const notifyNow = {
  type: 'notifyMatches' as const,
  params: ({ event }: { event: WatchEvent }) => ({
    count: event.type === 'lines.matched' ? event.count : 0,
  }),
};

/** What has matched and had to wait. */
const notifyCounted = [
  {
    type: 'notifyMatches' as const,
    params: ({ context }: { context: WatchContext }) => ({ count: context.matches }),
  },
  'resetMatches' as const,
];

/** One wish to be told of a process: that it has gone quiet, or printed a certain line. It ends with the process at the latest. */
export const watchMachine = watchSetup.createMachine({
  id: 'watch',
  description: 'What one owner wants to be told of a process while it lives.',
  context: ({ input }) => createWatchContext(input),
  initial: 'watching',
  states: {
    watching: {
      description: 'The process lives, and somebody wants to know.',
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
          description: 'What is wanted decides.',
          always: [{ guard: 'isForSilence', target: 'silence' }, { target: 'lines' }],
        },
        silence: {
          description: 'It is to be told once of each silence.',
          initial: 'counting',
          states: {
            counting: {
              description: 'Not quiet for long enough yet; what changes meanwhile is asked for at the end.',
              entry: {
                type: 'armDeadline',
                params: ({ context }) => ({ deadline: 'quiet', afterMs: toQuietDelayMs(context) }),
              },
              exit: { type: 'disarmDeadline', params: { deadline: 'quiet' } },
              on: { 'deadline.quiet': 'checking' },
            },
            checking: {
              description: 'It may be quiet: that is looked at before it is told.',
              entry: 'checkForChange',
              on: {
                'change.seen': { target: 'counting', actions: 'countFromChange' },
                'stillness.confirmed': { target: 'notified', actions: 'notifyQuiet' },
              },
            },
            notified: {
              description: 'This silence was told; the next change begins another one.',
              entry: 'awaitChange',
              on: { 'change.seen': { target: 'counting', actions: 'countFromChange' } },
            },
          },
        },
        lines: {
          description: 'It is to be told of lines that match, not too often.',
          initial: 'listening',
          on: {
            'search.failed': [
              { guard: 'hasMatches', target: '#watch.failed', actions: [...notifyCounted, 'notifyFailure'] },
              { target: '#watch.failed', actions: 'notifyFailure' },
            ],
          },
          states: {
            listening: {
              description: 'The next line that matches is told at once.',
              on: { 'lines.matched': { target: 'throttling', actions: notifyNow } },
            },
            throttling: {
              description:
                'Something was just told; what matches now is counted, and told together at the end.',
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
      description: 'The process goes on elsewhere; whoever takes it over watches on.',
      type: 'final',
    },
    cancelled: {
      description: 'Nobody wants to know any more.',
      type: 'final',
    },
    replaced: {
      description: 'Another watch of the same owner has taken its place.',
      type: 'final',
    },
    failed: {
      description: 'Its expression takes too long; the process goes on unwatched.',
      type: 'final',
    },
  },
});
