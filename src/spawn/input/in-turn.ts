import type { WriteResult } from '../../../machines/process/events.ts';
import { readingPatienceMs } from './reading-patience.ts';

/**
 * Carries out one order after another, each undisturbed; one that breaks stops none after it. Each is told how long it may wait for the
 * program to read: ten seconds, or, where it stood behind one that was refused as `notReading`, no time at all, since it has waited already.
 */
export type InTurn = (order: (patienceMs: number) => Promise<WriteResult>) => Promise<WriteResult>;

export function createInTurn(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  let ordered = 0;
  /** Those up to this one waited for the same reader, in vain. */
  let refusedUpTo = 0;

  return (order) => {
    ordered += 1;
    const number = ordered;
    let patienceMs = readingPatienceMs;
    const answer = last.then(() => {
      if (number <= refusedUpTo) patienceMs = 0;
      return order(patienceMs);
    });
    const look = (result: WriteResult) => {
      // Only of one that has waited: else two who try again for ever would never wait.
      if (patienceMs > 0 && !result.ok && result.code === 'notReading') refusedUpTo = ordered;
    };
    last = answer.then(look).catch(() => {});
    return answer;
  };
}
