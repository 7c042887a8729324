import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createIdleTimeout } from '../../src/models/idle-timeout.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

function watchOver(signal = new AbortController().signal) {
  return createIdleTimeout({ signal, idleMs: 1_000, name: 'x' });
}

test('silence ends the request', () => {
  const watch = watchOver();

  vi.advanceTimersByTime(999);
  expect(watch.signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);

  expect(watch.signal.reason).toMatchObject({ failure: 'cut', message: 'x has been silent for 1s.' });
});

test('a beat begins the silence anew', () => {
  const watch = watchOver();

  vi.advanceTimersByTime(900);
  watch.restart();
  vi.advanceTimersByTime(900);

  expect(watch.signal.aborted).toBe(false);
  watch.stop();
});

test('a reader that pauses is not blamed', () => {
  const watch = watchOver();

  watch.pause();
  vi.advanceTimersByTime(60_000);
  watch.restart();
  vi.advanceTimersByTime(999);
  expect(watch.signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);

  expect(watch.signal.aborted).toBe(true);
});

test('a shorter limit holds from its beat on', () => {
  const watch = watchOver();

  watch.restart(10);
  watch.restart();
  vi.advanceTimersByTime(10);

  expect(watch.signal.reason).toMatchObject({ message: 'x has been silent for 10 ms.' });
});

test.each(['stop', 'abort'] as const)('%s leaves no timer', (way) => {
  const abort = new AbortController();
  const watch = watchOver(abort.signal);

  if (way === 'stop') watch.stop();
  else abort.abort('reason');

  expect(vi.getTimerCount()).toBe(0);
  expect(watch.signal.aborted).toBe(true);
  watch.restart();
  expect(vi.getTimerCount()).toBe(0);
});

test('a signal that was aborted before keeps its reason', () => {
  const watch = watchOver(AbortSignal.abort('reason'));

  expect(watch.signal.reason).toBe('reason');
  expect(vi.getTimerCount()).toBe(0);
});
