import type { WriteResult } from '../../../machines/process/events.ts';

/** Time a program may take to read what is typed, counted anew whenever it has read something. */
export const readTimeoutMs = 10_000;

/** Error of a write that is refused as `notReading`. */
export const notReadText = `It has not read what is typed for ${readTimeoutMs / 1_000} s.`;

/** Pause before the second look: nothing notifies us when there is room again. */
export const firstPollMs = 1;
const maxPollMs = 20;

export function toNextPollMs(pollMs: number): number {
  return Math.min(pollMs * 2, maxPollMs);
}

/**
 * Executes writes one after another; one that breaks stops none after it. Each gets the time it may wait for the program to read:
 * ten seconds, or none where it queued behind a write that was refused as `notReading`, because it has waited already.
 */
type InputQueue = (write: (timeoutMs: number) => Promise<WriteResult>) => Promise<WriteResult>;

export function createInputQueue(): InputQueue {
  let last: Promise<unknown> = Promise.resolve();
  let enqueued = 0;
  /** Number of the last write that waited in vain for the same reader. */
  let refusedUpTo = 0;

  return (write) => {
    enqueued += 1;
    const number = enqueued;
    let timeoutMs = readTimeoutMs;
    const answer = last.then(() => {
      if (number <= refusedUpTo) timeoutMs = 0;
      return write(timeoutMs);
    });
    const noteRefusal = (result: WriteResult) => {
      // Only after a full wait: two callers that retry for ever would otherwise never wait again.
      if (timeoutMs > 0 && !result.ok && result.code === 'notReading') refusedUpTo = enqueued;
    };
    last = answer.then(noteRefusal).catch(() => {});
    return answer;
  };
}
