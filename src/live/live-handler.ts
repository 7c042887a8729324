import { TroupeError } from '../config/troupe-error.ts';
import { isSameSecret } from '../secrets/is-same-secret.ts';
import { type LiveEvent, type LiveState, type LiveStore, toLiveEvents } from './live-state.ts';

/** Events that a page may have missed and still gets; a page that has missed more asks for the state again. */
const MAX_KEPT_EVENTS = 1_000;

/** Options of `createLiveHandler`. */
export interface LiveHandlerOptions {
  /** The state to serve; see `createLocalStore`. */
  readonly store: LiveStore;
  /**
   * Secret that each request has in its header `Authorization: Bearer …`; at least 16 characters. `null`: requests that reach the handler
   * are authorized already, by the login of the site around it.
   */
  readonly token: string | null;
}

/** State at one moment, and the id of the last event in it. */
export interface LiveSnapshot {
  readonly id: string;
  readonly state: LiveState;
}

/**
 * Returns a `fetch` handler that serves the state to `createRemoteStore`: `GET …/snapshot` returns the state, `GET …/events` a stream of
 * server-sent events from then on, each with an id with which a lost connection continues. It is read-only. A page that reads slowly gets
 * as many events as it reads; the program neither waits for it nor collects for it.
 *
 * The state has commands, working directories, metadata and transcripts. Serve it on loopback or behind the login of your site; requests of
 * pages of another origin are denied.
 *
 * @throws TroupeError `invalid-option` for a token that is too short.
 */
export function createLiveHandler({
  store,
  token,
}: LiveHandlerOptions): (request: Request) => Promise<Response> {
  if (token !== null && token.length < 16) {
    const message = `createLiveHandler: "token" has ${token.length} characters; expected at least 16, such as crypto.randomUUID(), or null.`;
    throw new TroupeError({ code: 'invalid-option', message });
  }
  const log = createEventLog(store);
  return async (request) => {
    const { pathname, searchParams } = new URL(request.url);
    if (request.method !== 'GET') return refuse(405, 'Only GET is served here.');
    if (!isSameOrigin(request)) return refuse(403, 'Requests of another origin are denied.');
    if (token !== null && !isSameSecret(request.headers.get('authorization') ?? '', `Bearer ${token}`))
      return refuse(401, 'The token is missing or wrong.');
    if (pathname.endsWith('/snapshot')) return Response.json(log.snapshot(), { headers: HEADERS });
    if (!pathname.endsWith('/events')) return refuse(404, 'Served here: …/snapshot and …/events.');
    const after = request.headers.get('last-event-id') ?? searchParams.get('after');
    return new Response(log.stream(after, request.signal), {
      headers: { ...HEADERS, 'content-type': 'text/event-stream' },
    });
  };
}

const HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

function refuse(status: number, error: string): Response {
  return Response.json({ error }, { status, headers: HEADERS });
}

/** Returns whether a request comes from a page of the same origin, or from a program that is no browser and needs the token. */
export function isSameOrigin({ headers }: Request): boolean {
  const site = headers.get('sec-fetch-site');
  return site === null || site === 'same-origin' || site === 'none';
}

/** The last events, each with its number. The number and the name of this log are its id: `3f2a9c1e-17`. */
function createEventLog(store: LiveStore) {
  const name = crypto.randomUUID().slice(0, 8);
  let state = store.getSnapshot();
  let events: LiveEvent[] = [];
  let dropped = 0;
  const last = () => dropped + events.length;
  const toId = (number: number) => `${name}-${number}`;

  /** Records changes since the last call. The store is not followed while no page is connected: the difference is found when one connects. */
  const advance = () => {
    const now = store.getSnapshot();
    events.push(...toLiveEvents(state, now));
    state = now;
    const excess = Math.max(0, events.length - MAX_KEPT_EVENTS);
    if (excess > 0) events = events.slice(excess);
    dropped += excess;
  };

  /** Returns the number of an id, or `null` where what came after it is not known any more. */
  const toNumber = (id: string | null): number | null => {
    const [from, digits = ''] = id?.split('-') ?? [];
    const number = from === name && /^\d+$/.test(digits) ? Number(digits) : null;
    return number !== null && number >= dropped && number <= last() ? number : null;
  };

  const write = (from: number): string =>
    events
      .slice(from - dropped)
      .map((event, index) => `id: ${toId(from + index + 1)}\ndata: ${JSON.stringify(event)}\n\n`)
      .join('');

  const stream = (after: string | null, signal: AbortSignal): ReadableStream<Uint8Array> => {
    advance();
    let position = toNumber(after);
    let wake = () => {};
    let isOver = false;
    const unsubscribe = store.subscribe(() => {
      advance();
      wake();
    });
    const end = () => {
      isOver = true;
      unsubscribe();
      wake();
    };
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    const encoder = new TextEncoder();
    return new ReadableStream(
      {
        start: (controller) => controller.enqueue(encoder.encode(': connected\n\n')),
        pull: async (controller) => {
          while (position === last() && !isOver) {
            await new Promise<void>((resolve) => {
              wake = resolve;
            });
          }
          if (isOver) return;
          if (position === null || position < dropped) {
            controller.enqueue(encoder.encode('event: gap\ndata: {}\n\n'));
            controller.close();
            return end();
          }
          controller.enqueue(encoder.encode(write(position)));
          position = last();
        },
        cancel: end,
      },
      { highWaterMark: 1 },
    );
  };

  return {
    snapshot: (): LiveSnapshot => {
      advance();
      return { id: toId(last()), state };
    },
    stream,
  };
}
