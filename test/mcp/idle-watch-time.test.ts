import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createIdleWatch } from '../../src/mcp/http/idle-watch.ts';
import { whenSent } from '../../src/mcp/http/when-sent.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const request = new Request('http://127.0.0.1/mcp');
const empty = async () => new Response(null, { status: 202 });

function arrange() {
  const given = { isBusy: false, idle: 0 };
  const watch = createIdleWatch({
    idleMs: 1_000,
    isBusy: () => given.isBusy,
    onIdle: () => {
      given.idle += 1;
    },
  });
  return { given, watch };
}

test('a client that never asked is not given up', () => {
  const { given, watch } = arrange();

  vi.advanceTimersByTime(10_000);

  expect([given.idle, watch.isIdle]).toEqual([0, true]);
});

test('a client is given up after its time, counted from its last answer', async () => {
  const { given, watch } = arrange();
  await watch.during(request, empty);
  vi.advanceTimersByTime(900);
  await watch.during(request, empty);

  vi.advanceTimersByTime(999);
  const before = given.idle;
  vi.advanceTimersByTime(1);

  expect([before, given.idle]).toEqual([0, 1]);
});

test('a busy client is looked at again', async () => {
  const { given, watch } = arrange();
  given.isBusy = true;
  await watch.during(request, empty);
  vi.advanceTimersByTime(1_500);
  const whileBusy = [given.idle, watch.isIdle];
  given.isBusy = false;

  vi.advanceTimersByTime(500);

  expect([whileBusy, given.idle]).toEqual([[0, false], 1]);
});

test('a client with two requests is idle after the second', async () => {
  const { given, watch } = arrange();
  const slow = Promise.withResolvers<Response>();
  const first = watch.during(request, () => slow.promise);
  await watch.during(request, empty);
  vi.advanceTimersByTime(5_000);
  const between = [given.idle, watch.isIdle];
  slow.resolve(await empty());
  await first;

  vi.advanceTimersByTime(1_000);

  expect([between, given.idle]).toEqual([[0, false], 1]);
});

test('a stopped watch reports no idle client', async () => {
  const { given, watch } = arrange();
  await watch.during(request, empty);
  watch.stop();
  await watch.during(request, empty);

  vi.advanceTimersByTime(10_000);

  expect([given.idle, vi.getTimerCount()]).toEqual([0, 0]);
});

test('a response stays the same, and its end is told once', async () => {
  let ends = 0;
  const done = () => {
    ends += 1;
  };
  const { signal } = new AbortController();

  const sent = whenSent(new Response('text', { status: 201, headers: { 'x-a': '1' } }), { signal, done });
  const before = ends;
  const text = await sent.text();
  await Promise.resolve();

  expect([sent.status, sent.headers.get('x-a'), text]).toEqual([201, '1', 'text']);
  await vi.waitFor(() => expect(ends).toBe(1));
  expect(before).toBe(0);
});

test('a stream whose client is gone ends at once', async () => {
  const gone = new AbortController();
  const done = vi.fn();
  const endless = new Response(new ReadableStream({ pull: () => new Promise(() => {}) }));
  whenSent(endless, { signal: gone.signal, done });

  gone.abort();

  await vi.waitFor(() => expect(done).toHaveBeenCalledOnce());
});
