import type { LiveSnapshot } from './live-handler.ts';
import {
  applyLiveEvent,
  emptyLiveState,
  type LiveEvent,
  type LiveState,
  type LiveStore,
} from './live-state.ts';
import { readBlocks } from './read-blocks.ts';

/** Pauses before a lost connection is tried again, doubled from the first to the last, in ms. */
const FIRST_PAUSE_MS = 500;
const LAST_PAUSE_MS = 30_000;

/** Options of `createRemoteStore`. */
export interface RemoteStoreOptions {
  /** The token of the handler. Default: none is sent. */
  readonly token?: string;
  /** The state with which the page was rendered on the server, so that it begins with the same. Default: an empty one. */
  readonly initial?: LiveState;
  /** Makes the requests. Default: the global `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/**
 * Makes a store of what another program serves with `createLiveHandler` at `url`, such as `/api/troupe`. It connects with its first
 * subscriber and disconnects after its last. A lost connection is tried again and continues where it was; a connection that has missed too much asks
 * for the whole state.
 */
export function createRemoteStore(url: string, options: RemoteStoreOptions = {}): LiveStore {
  const initial: LiveState = {
    ...(options.initial ?? emptyLiveState),
    connection: 'connecting',
  };
  const subscribers = new Set<{ readonly onChange: () => void }>();
  let state = initial;
  let connection: AbortController | null = null;
  let id: string | null = null;

  const set = (next: LiveState) => {
    if (next === state) return;
    state = next;
    for (const { onChange } of [...subscribers]) onChange();
  };
  const setConnection = (to: LiveState['connection']) => {
    if (state.connection !== to) set({ ...state, connection: to });
  };
  const request = async (path: string, signal: AbortSignal): Promise<Response> => {
    const headers = options.token === undefined ? {} : { authorization: `Bearer ${options.token}` };
    const response = await (options.fetch ?? fetch)(`${url.replace(/\/$/, '')}/${path}`, { headers, signal });
    if (response.status === 401 || response.status === 403) throw new Refused();
    if (!response.ok || response.body === null)
      throw new Error(`${url}/${path} answered ${response.status}.`);
    return response;
  };
  /** Follows the stream until it ends. */
  const follow = async (signal: AbortSignal) => {
    if (id === null) {
      const snapshot = (await (await request('snapshot', signal)).json()) as LiveSnapshot;
      if (signal.aborted) return;
      id = snapshot.id;
      set({ ...snapshot.state, connection: state.connection });
    }
    const response = await request(`events?after=${id}`, signal);
    setConnection('open');
    for await (const events of readEvents(response.body as ReadableStream<Uint8Array>)) {
      if (signal.aborted) return;
      const changes = events.filter(({ name }) => name === 'message');
      id = events.length > changes.length ? null : (changes.at(-1)?.id ?? id);
      // Subscribers hear once of all that has arrived.
      set(changes.reduce((next, { data }) => applyLiveEvent(next, JSON.parse(data) as LiveEvent), state));
    }
  };
  const run = async (signal: AbortSignal) => {
    let pauseMs = FIRST_PAUSE_MS;
    while (!signal.aborted) {
      const before = id;
      try {
        await follow(signal);
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof Refused) return setConnection('refused');
      }
      if (signal.aborted) return;
      // What has missed too much asks at once.
      if (id === null && before !== null) continue;
      setConnection('lost');
      pauseMs = id === before ? Math.min(pauseMs * 2, LAST_PAUSE_MS) : FIRST_PAUSE_MS;
      await pause(pauseMs, signal);
    }
  };
  /** React's strict mode unsubscribes and subscribes again at once, for which the connection stays. */
  const rest = () => {
    if (subscribers.size > 0) return;
    connection?.abort();
    connection = null;
  };

  return {
    getSnapshot: () => state,
    getServerSnapshot: () => options.initial ?? initial,
    subscribe: (onChange) => {
      const subscriber = { onChange };
      subscribers.add(subscriber);
      if (connection === null) {
        connection = new AbortController();
        void run(connection.signal);
      }
      return () => {
        subscribers.delete(subscriber);
        setTimeout(rest);
      };
    },
  };
}

/** The handler denies access; trying again does not help. */
class Refused extends Error {}

/** Event of a stream. */
interface StreamEvent {
  readonly name: string;
  readonly id: string | null;
  readonly data: string;
}

/** Reads server-sent events, as https://html.spec.whatwg.org/multipage/server-sent-events.html describes them, with `\n` as line end. */
async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<readonly StreamEvent[]> {
  for await (const blocks of readBlocks(body, '\n\n'))
    yield blocks.map(toEvent).filter((event) => event !== null);
}

function toEvent(block: string): StreamEvent | null {
  const fields = new Map(
    block.split('\n').map((line) => {
      const colon = line.indexOf(': ');
      return [line.slice(0, colon), line.slice(colon + 2)] as const;
    }),
  );
  const data = fields.get('data');
  return data === undefined
    ? null
    : { name: fields.get('event') ?? 'message', id: fields.get('id') ?? null, data };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
