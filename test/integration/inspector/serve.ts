import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';

/** Handler of a page, mounted in a server on loopback. */
export interface Served extends AsyncDisposable {
  readonly origin: string;
  /** Path and query of each request so far, oldest first. */
  readonly requests: readonly string[];
  /** Paths of the requests that are not answered to the end yet. */
  readonly open: readonly string[];
  /** Ends all connections, as a network does. */
  cut(): void;
  /** Refuses connections until `resume`, and ends those there are. */
  pause(): Promise<void>;
  resume(): Promise<void>;
}

/** Serves a `fetch` handler with Node's own server, as the guide on embedding shows it. */
export async function serve(fetch: (request: Request) => Promise<Response>): Promise<Served> {
  const requests: string[] = [];
  const open = new Set<{ readonly path: string }>();
  const answer = async (incoming: IncomingMessage, response: ServerResponse) => {
    const { url = '/' } = incoming;
    requests.push(url);
    const entry = { path: url.split('?')[0] ?? url };
    open.add(entry);
    response.on('close', () => open.delete(entry));
    const { status, headers, body } = await fetch(toRequest(incoming, response));
    response.writeHead(status, Object.fromEntries(headers));
    if (body === null) return void response.end();
    Readable.fromWeb(body as never)
      .on('error', () => response.destroy())
      .pipe(response);
  };
  const server = createServer((incoming, response) => void answer(incoming, response));
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  const close = async () => {
    server.close();
    server.closeAllConnections();
    if (server.listening) await once(server, 'close');
  };
  const port = await listen(0);
  return {
    ...{ origin: `http://127.0.0.1:${port}`, requests },
    get open() {
      return [...open].map(({ path }) => path);
    },
    cut: () => server.closeAllConnections(),
    pause: close,
    resume: async () => void (await listen(port)),
    [Symbol.asyncDispose]: close,
  };
}

function toRequest(incoming: IncomingMessage, response: ServerResponse): Request {
  const { method = 'GET', url = '/', headers } = incoming;
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  return new Request(`http://${headers.host}${url}`, {
    method,
    headers: headers as Record<string, string>,
    signal: gone.signal,
    ...(method === 'POST' && { body: Readable.toWeb(incoming) as ReadableStream, duplex: 'half' }),
  } as RequestInit);
}
