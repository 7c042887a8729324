import type { EventFromLogic, SnapshotFrom } from 'xstate';
import type { WatchInput } from '../../machines/watch/context.ts';
import { watchMachine } from '../../machines/watch/machine.ts';
import { type GeneratedPath, generatePaths } from '../../src/testing/paths/generate-paths.ts';

export type WatchState = SnapshotFrom<typeof watchMachine>;
export type WatchModelEvent = EventFromLogic<typeof watchMachine>;
export type WatchPath = GeneratedPath<typeof watchMachine>;

export const QUIET_MS = 5_000;
/** Same value as the real one, which is no option. */
export const WINDOW_MS = 10_000;
/** Age of a change in the middle of a silence at its end. */
export const CHANGED_AGO_MS = 400;

/** Chart without effects: the model that real watches are compared with. */
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

/** Every event with every payload that the chart distinguishes. */
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

/** Tells whether the effects can report an event. */
function canHappen(
  on: WatchWay['on'],
  { state, event }: { state: WatchState; event: WatchModelEvent },
): boolean {
  if (state.status === 'done') return false;
  const isAnswer = event.type === 'change.seen' || event.type === 'stillness.confirmed';
  // A check of an output takes no time, so no event comes in between.
  if (on === 'a pipe' && isLooking(state) && !isAnswer) return false;
  switch (event.type) {
    case 'change.seen':
      // A checked change has happened before; an awaited one happens now.
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

/** Path with the starting point of its watch and its target. */
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
