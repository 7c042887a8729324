import { setImmediate } from 'node:timers/promises';
import { waitUntil } from '../support/os.ts';

/** Turns of the event loop that a script may need on any machine. */
const TURNS = 50;

/** Kind of processes: scripts finish within some turns, real programs take their time. */
export type Pace = 'scripts' | 'real programs';

/** Resolves as soon as the condition holds; rejects with `what` if it does not come to hold. */
export async function eventually(
  condition: () => boolean,
  { what, on }: { what: string; on: Pace },
): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) {
    if (condition()) return;
    await setImmediate();
  }
  if (on === 'scripts') throw new Error(`never: ${what}`);
  await waitUntil(condition, { what });
}
