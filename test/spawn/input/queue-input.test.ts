import { expect, test } from 'vitest';
import type { WriteResult } from '../../../machines/process/events.ts';
import {
  createInputQueue,
  firstPollMs,
  notReadText,
  toNextPollMs,
} from '../../../src/spawn/input/queue-input.ts';
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

test('pauses between looks double up to twenty milliseconds', () => {
  const pausesMs = [firstPollMs];
  for (let look = 0; look < 7; look += 1) pausesMs.push(toNextPollMs(pausesMs.at(-1) ?? 0));

  expect(pausesMs).toEqual([1, 2, 4, 8, 16, 20, 20, 20]);
});

test('a refusal of input that is not read says for how long', () => {
  expect(notReadText).toBe('It has not read what is typed for 10 s.');
});

test('a write that breaks stops none after it', async () => {
  const enqueue = createInputQueue();

  const broken = enqueue(() => Promise.reject(new Error('no')));
  const next = enqueue(async () => taken);

  await expect(broken).rejects.toThrow('no');
  expect(await next).toEqual(taken);
});
