import { expect, onTestFinished, test, vi } from 'vitest';
import { watchFence } from '../../src/remote/fence.ts';
import { stall, waitUntil } from '../support/os.ts';

function useVirtualTime(): void {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
}

/** Watches a presence whose beats are stored when the test says so. */
function open(isolatedMs: number) {
  const presence = { lastStoredMs: performance.now() };
  const reasons: string[] = [];
  const stop = watchFence(presence, { isolatedMs, onFence: (why) => reasons.push(why) });
  onTestFinished(stop);
  return {
    ...{ reasons, stop },
    store: () => {
      presence.lastStoredMs = performance.now();
    },
  };
}

test('a worker without servers is fenced once', () => {
  useVirtualTime();
  const { reasons } = open(10_000);

  vi.advanceTimersByTime(9_900);
  const early = [...reasons];
  vi.advanceTimersByTime(60_000);

  expect(early).toEqual([]);
  expect(reasons).toEqual([expect.stringMatching(/^the servers have not answered for 1\d s$/)]);
});

test('a worker is fenced again in the next outage', () => {
  useVirtualTime();
  const { reasons, store } = open(10_000);

  vi.advanceTimersByTime(20_000);
  store();
  vi.advanceTimersByTime(5_000);
  const between = reasons.length;
  vi.advanceTimersByTime(20_000);

  expect([between, reasons.length]).toEqual([1, 2]);
});

test('a worker whose beats are stored is never fenced', () => {
  useVirtualTime();
  const { reasons, store } = open(5_000);

  for (let count = 0; count < 100; count += 1) {
    vi.advanceTimersByTime(2_000);
    store();
  }

  expect(reasons).toEqual([]);
});

test('a worker without that limit is never fenced by an outage', () => {
  useVirtualTime();
  const { reasons } = open(Number.POSITIVE_INFINITY);

  vi.advanceTimersByTime(24 * 3_600_000);

  expect(reasons).toEqual([]);
});

test('a stopped fence reports nothing', () => {
  useVirtualTime();
  const { reasons, stop } = open(1_000);

  stop();
  vi.advanceTimersByTime(60_000);

  expect(reasons).toEqual([]);
});

test('a worker that stood still is fenced', async () => {
  const { reasons } = open(Number.POSITIVE_INFINITY);

  // Nothing of this program runs meanwhile.
  stall(4_600);
  await waitUntil(() => reasons.length > 0);

  expect(reasons[0]).toMatch(/^this program stood still for \d{4} ms$/);
});
