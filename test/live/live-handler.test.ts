import { expect, test } from 'vitest';
import { createConversation } from '../../src/conversation/create-conversation.ts';
import { createLiveHandler, isSameOrigin, type LiveHandlerOptions } from '../../src/live/live-handler.ts';
import type { LiveStore } from '../../src/live/live-state.ts';
import { createLocalStore } from '../../src/live/local-store.ts';
import { createRemoteStore, type RemoteStoreOptions } from '../../src/live/remote-store.ts';
import { createScriptedModel } from '../../src/models/scripted-model.ts';
import { waitUntil } from '../support/os.ts';
import { createVirtualHarness, turn } from '../support/virtual.ts';

const token = 'a token of 16 characters';

/** A supervisor whose processes are played by hand, its store, and its handler without a network. */
function serve(options: Partial<LiveHandlerOptions> = {}) {
  const { supervisor, backend } = createVirtualHarness();
  const store = createLocalStore({ supervisor });
  const handle = createLiveHandler({ store, token, ...options });
  const requests: string[] = [];
  let cut = () => {};
  const answer = async (url: string, init: RequestInit) => {
    requests.push(new URL(url).pathname.slice(1));
    const lost = new AbortController();
    cut = () => lost.abort(new Error('the network is gone'));
    const signal = init.signal ? AbortSignal.any([init.signal, lost.signal]) : lost.signal;
    const response = await handle(new Request(url, { ...init, signal }));
    return new Response(response.body?.pipeThrough(new TransformStream(), { signal }), response);
  };
  const connect = (more: RemoteStoreOptions = {}) =>
    createRemoteStore('http://page.example', { token, fetch: answer, ...more });
  return {
    ...{ backend, supervisor, store, handle, requests, connect, cut: () => cut() },
    start: (label: string) => supervisor.start({ command: 'make', label, background: true }),
    [Symbol.asyncDispose]: async () => void (await supervisor.shutdown()),
  };
}

/** Follows a store. */
function follow(store: LiveStore) {
  let changes = 0;
  const stop = store.subscribe(() => {
    changes += 1;
  });
  return {
    changes: () => changes,
    stop,
    until: (check: (state: ReturnType<LiveStore['getSnapshot']>) => boolean) =>
      waitUntil(() => check(store.getSnapshot())),
    [Symbol.dispose]: stop,
  };
}

const labels = (store: LiveStore) => store.getSnapshot().processes.map(({ label }) => label);

test('a remote store shows what the local one shows', async () => {
  await using served = serve();
  served.start('first');
  const remote = served.connect();
  using page = follow(remote);
  await page.until(({ connection }) => connection === 'open');

  const second = served.start('second');
  await page.until(({ processes }) => processes.length === 2);
  served.backend.lastRun.exit({ code: 3 });
  await second.ended;
  await page.until(({ processes }) => processes.some(({ status }) => status === 'failed'));

  const { processes } = served.store.getSnapshot();
  const withoutTime = (views: typeof processes) => views.map((view) => ({ ...view, runtimeMs: 0 }));
  expect(withoutTime(remote.getSnapshot().processes)).toEqual(
    JSON.parse(JSON.stringify(withoutTime(processes))),
  );
});

test('a remote store drops processes that the supervisor forgets', async () => {
  await using served = serve();
  const handle = served.start('gone');
  served.start('stays');
  const remote = served.connect();
  using page = follow(remote);
  await page.until(({ processes }) => processes.length === 2);

  await Promise.all([served.backend.runs[0]?.exit({ code: 0 }), handle.ended]);
  await served.supervisor.sweep({ all: true });
  await page.until(({ processes }) => processes.length === 1);

  expect(labels(remote)).toEqual(['stays']);
});

test('a remote store shows a conversation', async () => {
  await using served = serve();
  const conversation = createConversation({
    supervisor: served.supervisor,
    model: createScriptedModel([{ text: 'hello' }, { text: 'bye' }]),
  });
  const remove = served.store.add(conversation);
  const remote = served.connect();
  using page = follow(remote);
  await conversation.say('hi');
  await page.until(({ conversations }) => conversations[conversation.id]?.transcript.length === 2);
  await conversation.say('and?');
  await page.until(({ conversations }) => conversations[conversation.id]?.transcript.length === 4);

  expect(remote.getSnapshot().conversations[conversation.id]).toEqual({
    id: conversation.id,
    status: 'idle',
    transcript: conversation.transcript,
    writing: '',
    inbox: [],
  });
  remove();
  await page.until(({ conversations }) => conversations[conversation.id] === undefined);
  await conversation.close();
});

test('a lost connection continues where it was', async () => {
  await using served = serve();
  served.start('before');
  const remote = served.connect();
  using page = follow(remote);
  await page.until(({ connection, processes }) => connection === 'open' && processes.length === 1);

  served.cut();
  await page.until(({ connection }) => connection === 'lost');
  served.start('meanwhile');
  await page.until(({ connection, processes }) => connection === 'open' && processes.length === 2);

  expect(labels(remote)).toEqual(['before', 'meanwhile']);
  expect(served.requests).toEqual(['snapshot', 'events', 'events']);
});

test('a connection that has missed too much asks for the whole state', async () => {
  await using served = serve();
  const remote = served.connect();
  using page = follow(remote);
  await page.until(({ connection }) => connection === 'open');

  served.cut();
  await page.until(({ connection }) => connection === 'lost');
  for (let index = 0; index < 1_001; index += 1) {
    served.supervisor.start({ command: 'make', label: `p${index}` });
  }
  await page.until(({ processes }) => processes.length === 1_001);

  expect(served.requests).toEqual(['snapshot', 'events', 'events', 'snapshot', 'events']);
});

test('a remote store whose last subscriber leaves disconnects', async () => {
  await using served = serve();
  const remote = served.connect();
  const page = follow(remote);
  await page.until(({ connection }) => connection === 'open');

  page.stop();
  const again = follow(remote);
  served.start('seen');
  await again.until(({ processes }) => processes.length === 1);
  again.stop();
  await waitUntil(() => served.supervisor.list().length === 1);
  await new Promise((resolve) => setTimeout(resolve));
  const before = remote.getSnapshot();
  served.start('unseen');
  await new Promise((resolve) => setImmediate(resolve));

  expect(served.requests).toEqual(['snapshot', 'events']);
  expect(remote.getSnapshot()).toBe(before);
});

test('a wrong token is refused and not tried again', async () => {
  await using served = serve();
  served.start('secret');
  const remote = served.connect({ token: 'another token of some length' });
  using page = follow(remote);

  await page.until(({ connection }) => connection === 'refused');

  expect(labels(remote)).toEqual([]);
  expect(served.requests).toEqual(['snapshot']);
});

test.each([
  ['without the token', {}, {}, 401],
  ['of another site', {}, { authorization: `Bearer ${token}`, 'sec-fetch-site': 'cross-site' }, 403],
  ['of another site, authorized', { token: null }, { 'sec-fetch-site': 'same-site' }, 403],
  ['of this site', { token: null }, { 'sec-fetch-site': 'same-origin' }, 200],
  ['with the token', {}, { authorization: `Bearer ${token}` }, 200],
])('a request %s answers', async (_, options, headers: Record<string, string>, status) => {
  await using served = serve(options);

  const response = await served.handle(new Request('http://page.example/a/snapshot', { headers }));

  expect(response.status).toBe(status);
  expect(response.headers.get('access-control-allow-origin')).toBeNull();
});

test('a short token is refused', () => {
  expect(() => serve({ token: 'short' })).toThrow(
    'createLiveHandler: "token" has 5 characters; expected at least 16, such as crypto.randomUUID(), or null.',
  );
});

test('a local store returns the same snapshot until something changes', async () => {
  await using served = serve();
  const first = served.start('first');
  using page = follow(served.store);
  served.start('second');
  await page.until(({ processes }) => processes.length === 2);

  const before = served.store.getSnapshot();
  const again = served.store.getSnapshot();
  served.backend.lastRun.exit({ code: 0 });
  await page.until(({ processes }) => processes.some(({ status }) => status === 'completed'));
  const after = served.store.getSnapshot();

  expect(again).toBe(before);
  expect(after).not.toBe(before);
  const view = (state: typeof before) => state.processes.find(({ id }) => id === first.id);
  expect(view(after)).toBe(view(before));
  page.stop();
  expect(served.store.getSnapshot()).toBe(served.store.getSnapshot());
});

const authorized = { authorization: `Bearer ${token}` };

test.for([
  ['POST', '/snapshot', authorized, 405, 'Only GET is served here.'],
  ['GET', '/snapshot', { 'sec-fetch-site': 'cross-site' }, 403, 'Requests of another origin are denied.'],
  ['GET', '/snapshot', { authorization: 'Bearer x' }, 401, 'The token is missing or wrong.'],
  ['GET', '/snapshot', {}, 401, 'The token is missing or wrong.'],
  ['GET', '/', authorized, 404, 'Served here: …/snapshot and …/events.'],
] as const)('%s %s with %j is refused with a sentence', async ([method, path, headers, status, error]) => {
  await using served = serve();

  const response = await served.handle(new Request(`http://page.example${path}`, { method, headers }));

  expect([response.status, await response.json()]).toEqual([status, { error }]);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
});

test.for([
  [null, true],
  ['same-origin', true],
  ['none', true],
  ['same-site', false],
  ['cross-site', false],
] as const)('a request from %s is of the same origin: %s', ([site, expected]) => {
  const headers: Record<string, string> = site === null ? {} : { 'sec-fetch-site': site };

  expect(isSameOrigin(new Request('http://page.example', { headers }))).toBe(expected);
});

/** Reads a stream of events until it waits. */
async function readNow(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  let text = '';
  for (;;) {
    const read = await Promise.race([reader?.read(), turn(5)]);
    if (read === undefined) break;
    text += new TextDecoder().decode(read.value);
    if (read.done) break;
  }
  await reader?.cancel();
  return text;
}

test('a stream continues behind the event that a page names', async () => {
  await using served = serve();
  const get = (path: string, headers: Record<string, string> = {}) =>
    served.handle(new Request(`http://page.example${path}`, { headers: { ...authorized, ...headers } }));
  const { id } = (await (await get('/snapshot')).json()) as { id: string };
  const name = id.split('-')[0];
  served.start('one');
  await turn();

  const stream = await get(`/events?after=${id}`);
  const text = await readNow(stream);

  expect(stream.headers.get('content-type')).toBe('text/event-stream');
  expect(id).toMatch(/^[0-9a-f]{8}-0$/);
  const ids = [...text.matchAll(/^id: (.*)$/gm)].map(([, found]) => found);
  expect(text.startsWith(`: connected\n\nid: ${name}-1\ndata: {"type":"process.changed","view":`)).toBe(true);
  expect(text.endsWith('\n\n')).toBe(true);
  expect(ids.map((each) => Number(each?.split('-')[1]))).toEqual(ids.map((_, index) => index + 1));
  expect(await readNow(await get('/events', { 'last-event-id': ids.at(-1) ?? '' }))).toBe(': connected\n\n');
  expect(await readNow(await get('/events', { 'last-event-id': ids.at(-2) ?? '' }))).toContain(
    `id: ${ids.at(-1)}`,
  );
});

test.for(['', 'other-0', 'NAME-', 'NAME-x', 'NAME-99', 'NAME'])(
  'a page that names %j has missed too much',
  async (given) => {
    await using served = serve({ token: null });
    const get = (path: string) => served.handle(new Request(`http://page.example${path}`));
    const { id } = (await (await get('/snapshot')).json()) as { id: string };
    const after = given.replace('NAME', id.split('-')[0] ?? '');

    expect(await readNow(await get(`/events?after=${after}`))).toBe(
      ': connected\n\nevent: gap\ndata: {}\n\n',
    );
  },
);

test('an aborted page is followed no more', async () => {
  await using served = serve({ token: null });
  let subscribers = 0;
  const counting: LiveStore = {
    ...served.store,
    subscribe: (onChange) => {
      subscribers += 1;
      const stop = served.store.subscribe(onChange);
      return () => {
        subscribers -= 1;
        stop();
      };
    },
  };
  const handle = createLiveHandler({ store: counting, token: null });
  const abort = new AbortController();
  const open = (signal: AbortSignal) => handle(new Request('http://page.example/events', { signal }));
  await open(abort.signal);
  const during = subscribers;

  abort.abort();
  await open(abort.signal);

  expect([during, subscribers]).toEqual([1, 0]);
});
