import { type ControlConnection, openConnection } from './control-connection.ts';
import type { ControlItems, ControlParams, StreamMethod } from './protocol.ts';

/** So many items of a stream may wait for who reads them. */
const MAX_WAITING_ITEMS = 16;

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
