import { setImmediate as nextTurn } from 'node:timers/promises';

/** Time that work may hold the event loop; well below 20 ms, because a step may take several. */
const TURN_MS = 5;

/** Returns a function to await between the steps of long work. It yields to the event loop when `TURN_MS` have passed since the last time. */
export function createEventLoopYield(): () => Promise<void> | undefined {
  let endMs = performance.now() + TURN_MS;
  return () => {
    if (performance.now() < endMs) return undefined;
    return nextTurn().then(() => {
      endMs = performance.now() + TURN_MS;
    });
  };
}
