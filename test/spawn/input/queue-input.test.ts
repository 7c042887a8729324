import { expect, test } from 'vitest';
import type { WriteResult } from '../../../machines/process/events.ts';
import { createInputQueue } from '../../../src/spawn/input/queue-input.ts';
import { refuseWrite } from '../../../src/spawn/refusals.ts';

const taken: WriteResult = { ok: true, bytesWritten: 1 };
const unread = refuseWrite('notReading', 'It does not read.');

/** Writes that record their timeouts. */
function arrange() {
  const timeouts: number[] = [];
  const enqueue = createInputQueue();
  const order = (result: WriteResult) =>
    enqueue(async (timeoutMs) => {
      timeouts.push(timeoutMs);
      return result;
    });
  return { timeouts, order };
}

test('a write queued behind an unread one does not wait', async () => {
  const { timeouts, order } = arrange();

  await Promise.all([order(taken), order(unread), order(unread), order(taken)]);

  expect(timeouts).toEqual([10_000, 10_000, 0, 0]);
});

test('a retry after a refusal waits again', async () => {
  const { timeouts, order } = arrange();

  const again = [order(unread), order(unread)].map((first) => first.then(() => order(unread)));
  await Promise.all(again);

  expect(timeouts).toEqual([10_000, 0, 10_000, expect.any(Number)]);
});

test('another kind of refusal leaves the next its timeout', async () => {
  const { timeouts, order } = arrange();

  await Promise.all([order(refuseWrite('broken', 'It broke.')), order(taken)]);

  expect(timeouts).toEqual([10_000, 10_000]);
});
