import { setImmediate as nextTurn } from 'node:timers/promises';

/** Time that work may hold the event loop; well below 20 ms, because a step may take several. */
const TURN_MS = 5;

/** Returns a function to be awaited between steps of long work: lets the event loop run after each turn. */
export function createTurns(): () => Promise<void> | undefined {
  let endMs = performance.now() + TURN_MS;
  return () => {
    if (performance.now() < endMs) return undefined;
    return nextTurn().then(() => {
      endMs = performance.now() + TURN_MS;
    });
  };
}
