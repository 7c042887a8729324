import { type ControlConnection, openConnection } from './control-connection.ts';
import {
  type AskMethod,
  type CallOptions,
  type ControlItems,
  type ControlParams,
  type ControlResults,
  MAX_REQUESTS,
  type StreamMethod,
} from './protocol.ts';

/** Maximum number of stream items buffered for a slow reader. */
const MAX_WAITING_ITEMS = 16;

/**
 * Connection to a supervisor. Calls reject with a TroupeError: the supervisor's own code where it refused;
 * `unreachable` where it is gone or did not answer in time; `protocol` where the peer is not a compatible supervisor.
 * An aborted `signal` rejects with its reason.
 */
export interface ControlClient {
  call<M extends AskMethod>(
    method: M,
    params: ControlParams<M>,
    options?: CallOptions,
  ): Promise<ControlResults[M]>;
  /** The supervisor's limit of concurrent requests is reached; open another connection. */
  readonly isFull: boolean;
  readonly isClosed: boolean;
  close(): void;
}

/**
 * @throws TroupeError `unreachable`, with what to do, when no process listens or the socket belongs to another user.
 */
export async function connectControl(socketPath: string): Promise<ControlClient> {
  const connection = await openConnection(socketPath);
  let hello: Promise<unknown> | null = null;
  // One for all waits: it takes the room that `isFull` leaves.
  const sayHello = (deadlineMs: number): Promise<unknown> => {
    hello ??= connection.ask({ method: 'hello', params: {} }, { deadlineMs }).finally(() => {
      hello = null;
    });
    return hello;
  };
  return {
    call: (method, params, callOptions) => {
      const asked = connection.ask({ method, params }, callOptions);
      const { pulseMs } = callOptions ?? {};
      return (pulseMs === undefined ? asked : whileAlive(asked, { sayHello, pulseMs })) as Promise<never>;
    },
    get isFull() {
      return connection.pending >= MAX_REQUESTS - 1;
    },
    get isClosed() {
      return connection.isClosed;
    },
    close: connection.close,
  };
}

/** Returns the answer, or rejects with `unreachable` as soon as the supervisor stops responding. */
function whileAlive(
  asked: Promise<unknown>,
  { sayHello, pulseMs }: { sayHello: (deadlineMs: number) => Promise<unknown>; pulseMs: number },
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const beat = () => {
      sayHello(pulseMs).catch((error) => {
        clearInterval(beats);
        reject(error);
      });
    };
    const beats = setInterval(beat, pulseMs);
    asked.then(resolve, reject).finally(() => clearInterval(beats));
  });
}

/**
 * Iterates the items of a streaming request over a connection of its own. Nothing is read from the socket while the
 * consumer is idle, so the supervisor pauses. Ends with the stream; rejects like a call. Ending the iteration cancels
 * the request.
 */
export async function* streamControl<M extends StreamMethod>(
  socketPath: string,
  request: {
    readonly method: M;
    readonly params: ControlParams<M>;
    readonly signal?: AbortSignal | undefined;
  },
): AsyncGenerator<ControlItems[M], void> {
  const { signal, ...asked } = request;
  signal?.throwIfAborted();
  const connection = await openConnection(socketPath);
  try {
    yield* takeItems<ControlItems[M]>(connection, { asked, signal });
  } finally {
    connection.close();
  }
}

async function* takeItems<Item>(
  connection: ControlConnection,
  {
    asked,
    signal,
  }: {
    asked: { readonly method: string; readonly params: unknown };
    signal: AbortSignal | undefined;
  },
): AsyncGenerator<Item, void> {
  let items: Item[] = [];
  let isOver = false;
  let failure: unknown = null;
  let wake = () => {};
  connection
    .ask(asked, { signal }, (item) => {
      items.push(item as Item);
      if (items.length >= MAX_WAITING_ITEMS) connection.pause();
      wake();
    })
    .catch((error: unknown) => {
      failure = error;
    })
    .finally(() => {
      isOver = true;
      wake();
    });
  while (true) {
    const taken = items;
    items = [];
    yield* taken;
    if (items.length > 0) continue;
    if (isOver) break;
    connection.resume();
    await new Promise<void>((resolve) => {
      wake = resolve;
      if (isOver || items.length > 0) resolve();
    });
  }
  if (failure !== null) throw failure;
}
