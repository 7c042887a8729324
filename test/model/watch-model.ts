import type { EventFromLogic, SnapshotFrom } from 'xstate';
import type { WatchInput } from '../../machines/watch/context.ts';
import { watchMachine } from '../../machines/watch/machine.ts';
import { type GeneratedPath, generatePaths } from '../../src/testing/paths/generate-paths.ts';

export type WatchState = SnapshotFrom<typeof watchMachine>;
export type WatchModelEvent = EventFromLogic<typeof watchMachine>;
export type WatchPath = GeneratedPath<typeof watchMachine>;

export const QUIET_MS = 5_000;
/** The same as the real one: it is no option. */
export const WINDOW_MS = 10_000;
/** A change in the middle of a silence is so old at its end. */
export const CHANGED_AGO_MS = 400;

/** The chart with its effects left out: the model that real watches are held to. */
export const watchModel = watchMachine.provide({
  actions: {
    checkForChange: () => {},
    awaitChange: () => {},
    notifyQuiet: () => {},
    notifyMatches: () => {},
    notifyFailure: () => {},
    armDeadline: () => {},
    disarmDeadline: () => {},
  },
});

/** Every event with every payload that the chart tells apart. */
const events: readonly WatchModelEvent[] = [
  { type: 'change.seen', agoMs: 0 },
  { type: 'change.seen', agoMs: CHANGED_AGO_MS },
  { type: 'stillness.confirmed' },
  { type: 'lines.matched', count: 1 },
  { type: 'lines.matched', count: 3 },
  { type: 'search.failed' },
  { type: 'process.ended' },
  { type: 'process.released' },
  { type: 'watch.cancel' },
  { type: 'watch.replace' },
  { type: 'deadline.quiet' },
  { type: 'deadline.window' },
];

/** What the effects can tell the chart. */
function canHappen(
  on: WatchWay['on'],
  { state, event }: { state: WatchState; event: WatchModelEvent },
): boolean {
  if (state.status === 'done') return false;
  const isAnswer = event.type === 'change.seen' || event.type === 'stillness.confirmed';
  // An output is looked at in no time: nothing comes in between.
  if (on === 'a pipe' && isLooking(state) && !isAnswer) return false;
  switch (event.type) {
    case 'change.seen':
      // What is looked for has happened before; what is waited for happens now.
      return state.matches({ watching: { silence: 'notified' } }) === (event.agoMs === 0);
    case 'lines.matched':
      return state.context.matches < 6;
    default:
      return true;
  }
}

function isLooking(state: WatchState): boolean {
  return state.matches({ watching: { silence: 'checking' } });
}

/** A path, how the watch begins that goes it, and on what. */
export interface WatchWay {
  readonly input: WatchInput;
  readonly path: WatchPath;
  readonly on: 'a pipe' | 'a terminal';
}

export function watchWays(): readonly WatchWay[] {
  return [
    ...waysOn('a pipe', { type: 'quiet', quietMs: QUIET_MS }),
    ...waysOn('a terminal', { type: 'quiet', quietMs: QUIET_MS }),
    ...waysOn('a pipe', { type: 'pattern', windowMs: WINDOW_MS }),
  ];
}

function waysOn(on: WatchWay['on'], wants: WatchInput['wants']): readonly WatchWay[] {
  const input = { id: 'watch', wants };
  const paths = generatePaths(watchModel, {
    input,
    events: events as WatchModelEvent[],
    canHappen: (state, event) => canHappen(on, { state, event }),
    toKey: ({ value, context }) => JSON.stringify([value, context]),
  });
  return paths.map((path) => ({ input, path, on }));
}
