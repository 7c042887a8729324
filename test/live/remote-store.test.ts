import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { emptyLiveState, type LiveEvent, type LiveState } from '../../src/live/live-state.ts';
import { createRemoteStore, type RemoteStoreOptions } from '../../src/live/remote-store.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const question = (id: string): LiveEvent => ({
  type: 'questions.changed',
  questions: [{ id, at: 1, question: {} as never }],
});
const toText = (id: string, event: LiveEvent) => `id: ${id}\ndata: ${JSON.stringify(event)}\n\n`;

/** A store of a program that answers what the test says. */
function arrange(options: RemoteStoreOptions & { readonly url?: string } = {}) {
  const requests: { readonly url: string; readonly headers: unknown }[] = [];
  let status = 200;
  let stream: ReadableStreamDefaultController<Uint8Array> | null = null;
  const store = createRemoteStore(options.url ?? 'http://host/api/', {
    fetch: async (url, { headers }) => {
      requests.push({ url, headers });
      if (status !== 200) return new Response('', { status });
      if (url.endsWith('/snapshot'))
        return Response.json({ id: 'log-1', state: { ...emptyLiveState, supervisors: { a: 's' } } });
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          stream = controller;
        },
      });
      return new Response(body);
    },
    ...options,
  });
  const heard: LiveState[] = [];
  return {
    ...{ store, requests, heard },
    follow: () => store.subscribe(() => heard.push(store.getSnapshot())),
    settle: (ms = 0) => vi.advanceTimersByTimeAsync(ms),
    answer: (next: number) => {
      status = next;
    },
    send: (text: string) => stream?.enqueue(Buffer.from(text)),
    cut: () => stream?.close(),
    urls: () => requests.map(({ url }) => url.replace('http://host/api/', '')),
    questions: () => store.getSnapshot().questions.map(({ id }) => id),
  };
}

test('a store connects with its first subscriber, and shows the state', async () => {
  const { store, requests, follow, settle } = arrange({ token: 'secret' });
  const before = [store.getSnapshot(), requests.length];
  follow();
  follow();
  await settle();

  expect(before).toEqual([{ ...emptyLiveState, connection: 'connecting' }, 0]);
  expect(requests).toEqual([
    { url: 'http://host/api/snapshot', headers: { authorization: 'Bearer secret' } },
    { url: 'http://host/api/events?after=log-1', headers: { authorization: 'Bearer secret' } },
  ]);
  expect(store.getSnapshot()).toEqual({ ...emptyLiveState, supervisors: { a: 's' }, connection: 'open' });
});

test('a store without a token sends none, and takes an address without a slash', async () => {
  const { requests, follow, settle } = arrange({ url: 'http://host/api' });
  follow();
  await settle();

  expect(requests[0]).toEqual({ url: 'http://host/api/snapshot', headers: {} });
});

test('a page begins with the state of its server', () => {
  const initial = { ...emptyLiveState, connection: 'local', supervisors: { a: 's' } } as const;
  const { store } = arrange({ initial });

  expect(store.getServerSnapshot()).toBe(initial);
  expect(store.getSnapshot()).toEqual({ ...initial, connection: 'connecting' });
  expect(arrange().store.getServerSnapshot()).toEqual({ ...emptyLiveState, connection: 'connecting' });
});

test('all events that arrive at once are heard once', async () => {
  const { follow, settle, send, heard, questions } = arrange();
  follow();
  await settle();
  const before = heard.length;

  send(`: connected\n\n${toText('log-2', question('q1'))}${toText('log-3', question('q2'))}`);
  await settle();

  expect(questions()).toEqual(['q2']);
  expect(heard.length - before).toBe(1);
});

test('a comment changes nothing', async () => {
  const { store, follow, settle, send } = arrange();
  follow();
  await settle();
  const before = store.getSnapshot();

  send(': connected\n\n');
  await settle();

  expect(store.getSnapshot()).toBe(before);
});

test('a lost connection continues behind the last event, after pauses that double', async () => {
  const { store, follow, settle, send, cut, answer, urls } = arrange();
  follow();
  await settle();
  send(toText('log-2', question('q1')));
  await settle();
  answer(500);
  cut();
  await settle();
  const lost = store.getSnapshot().connection;
  const counts: number[] = [];
  for (const ms of [499, 1, 999, 1, 1_999, 1, 4_000, 8_000, 16_000, 29_999, 1]) {
    await settle(ms);
    counts.push(urls().length);
  }
  answer(200);
  await settle(30_000);

  expect(lost).toBe('lost');
  expect(counts).toEqual([2, 3, 3, 4, 4, 5, 6, 7, 8, 8, 9]);
  expect(new Set(urls().slice(2))).toEqual(new Set(['events?after=log-2']));
  expect(store.getSnapshot().connection).toBe('open');
});

test('a connection that has brought something is tried again soon', async () => {
  const { follow, settle, send, cut, answer, urls } = arrange();
  follow();
  await settle();
  answer(500);
  cut();
  await settle(1_500);
  answer(200);
  await settle(2_000);
  send(toText('log-2', question('q1')));
  await settle();
  const before = urls().length;
  cut();

  await settle(499);
  const early = urls().length - before;
  await settle(1);

  expect([early, urls().length - before]).toEqual([0, 1]);
});

test('a connection that has missed too much asks for the whole state at once', async () => {
  const { follow, settle, send, cut, urls } = arrange();
  follow();
  await settle();
  cut();
  await settle(500);

  send('event: gap\ndata: {}\n\n');
  cut();
  await settle();

  expect(urls()).toEqual([
    ...['snapshot', 'events?after=log-1', 'events?after=log-1'],
    ...['snapshot', 'events?after=log-1'],
  ]);
});

test.for([401, 403])('a program that answers %i is not asked again', async (status) => {
  const { store, follow, settle, answer, urls } = arrange();
  answer(status);
  follow();
  await settle(120_000);

  expect(store.getSnapshot().connection).toBe('refused');
  expect(urls()).toEqual(['snapshot']);
});

test('a program that is not there is asked again', async () => {
  const { store, follow, settle, answer, urls } = arrange();
  answer(404);
  follow();
  await settle();
  const before = store.getSnapshot().connection;
  answer(200);
  await settle(1_000);

  expect([before, store.getSnapshot().connection]).toEqual(['lost', 'open']);
  expect(urls()).toEqual(['snapshot', 'snapshot', 'events?after=log-1']);
});

test('a store whose last subscriber has left asks for nothing more', async () => {
  const { follow, settle, answer, urls } = arrange();
  answer(500);
  const stop = follow();
  await settle();

  stop();
  await settle();
  const timers = vi.getTimerCount();
  await settle(120_000);

  expect(urls()).toEqual(['snapshot']);
  expect(timers).toBe(0);
});
