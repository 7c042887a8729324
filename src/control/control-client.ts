import { type ConnectOptions, type ControlConnection, openConnection } from './control-connection.ts';
import {
  type AskMethod,
  type CallOptions,
  type ControlItems,
  type ControlParams,
  type ControlResults,
  MAX_REQUESTS,
  type StreamMethod,
} from './protocol.ts';

/** So many items of a stream may wait for who reads them. */
const MAX_WAITING_ITEMS = 16;

/**
 * One connection to a supervisor. Calls reject with TroupeError: what the supervisor refused, with its own code; `unreachable` where
 * it is gone, or did not answer in time; `protocol` where it is no supervisor of ours. With `signal` they reject with its reason.
 */
export interface ControlClient {
  call<M extends AskMethod>(
    method: M,
    params: ControlParams<M>,
    options?: CallOptions,
  ): Promise<ControlResults[M]>;
  /** The supervisor takes at most so many requests at a time: another connection is to be used beyond that. */
  readonly isFull: boolean;
  readonly isClosed: boolean;
  close(): void;
}

/** @throws TroupeError `unreachable`, with what to do: nobody listens there, or it belongs to another user. */
export async function connectControl(
  socketPath: string,
  options: ConnectOptions = {},
): Promise<ControlClient> {
  const connection = await openConnection(socketPath, options);
  return {
    call: (method, params, callOptions) => {
      const asked = connection.ask({ method, params }, callOptions);
      const { pulseMs } = callOptions ?? {};
      return (pulseMs === undefined ? asked : whileAlive(connection, { asked, pulseMs })) as Promise<never>;
    },
    get isFull() {
      return connection.underWay >= MAX_REQUESTS - 1;
    },
    get isClosed() {
      return connection.isClosed;
    },
    close: connection.close,
  };
}

/** The answer, or `unreachable` as soon as the supervisor does not answer anything any more. */
function whileAlive(
  connection: ControlConnection,
  { asked, pulseMs }: { asked: Promise<unknown>; pulseMs: number },
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const beat = () => {
      connection.ask({ method: 'hello', params: {} }, { deadlineMs: pulseMs }).catch((error) => {
        clearInterval(beats);
        reject(error);
      });
    };
    const beats = setInterval(beat, pulseMs);
    asked.then(resolve, reject).finally(() => clearInterval(beats));
  });
}

/**
 * The items of a request that streams, over a connection of its own: while nobody takes them, nothing is read, and the supervisor
 * sends nothing. Ends with the stream; rejects like a call. Who stops taking them has cancelled the request.
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
  const connection = await openConnection(socketPath, {});
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
