import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** One request, and the response that a test writes byte by byte. */
export interface Exchange {
  readonly body: unknown;
  readonly headers: IncomingMessage['headers'];
  readonly path: string;
  readonly response: ServerResponse;
  /** The client has closed the connection before the response was whole. */
  isLeft(): boolean;
}

export interface RawEndpoint extends AsyncDisposable {
  readonly url: string;
  /** All requests so far. */
  readonly exchanges: readonly Exchange[];
  /** Connections that are open now. */
  connections(): Promise<number>;
}

/** An HTTP server on loopback that answers in any way, also in ways that no model's endpoint should. */
export async function startRawEndpoint(answer: (exchange: Exchange) => void): Promise<RawEndpoint> {
  const exchanges: Exchange[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const exchange: Exchange = {
      body: body === '' ? null : JSON.parse(body),
      headers: request.headers,
      path: request.url ?? '',
      response,
      isLeft: () => response.destroyed && !response.writableFinished,
    };
    exchanges.push(exchange);
    answer(exchange);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exchanges,
    connections: () =>
      new Promise((resolve, reject) => {
        server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
      }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Answers with a stream of events, in one piece. */
export function sendEvents({ response }: Pick<Exchange, 'response'>, events: readonly unknown[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(toEvents(events));
}

export function toEvents(events: readonly unknown[]): string {
  return events
    .map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`)
    .join('');
}

/** Answers with JSON. */
export function sendJson(
  { response }: Pick<Exchange, 'response'>,
  { status = 200, headers = {}, body }: { status?: number; headers?: Record<string, string>; body: unknown },
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}
