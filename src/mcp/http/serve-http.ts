import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { quote } from '../../config/quote.ts';
import { findPortHolder } from '../../readiness/port-holder.ts';
import { formatAddress, type HttpAddress } from './http-address.ts';
import { maxBodyBytes } from './http-clients.ts';

export interface HttpListener {
  readonly type: 'listening';
  /** The address for clients, with the path: `http://127.0.0.1:7433/mcp`. */
  readonly url: string;
  /** Refuses new requests and ends those under way. */
  close(): Promise<void>;
}

/** Listens, or returns why it cannot. */
export async function serveHttp(options: {
  readonly address: HttpAddress;
  /** The path at which clients begin. */
  readonly path: string;
  /** Name of the option that sets the address, for advice. */
  readonly option: string;
  readonly fetch: (request: Request) => Promise<Response>;
  readonly onError: (error: Error) => void;
}): Promise<HttpListener | { readonly type: 'refused'; readonly why: string }> {
  const { address, fetch, onError } = options;
  const handle = toNodeHandler({ fetch }, { onerror: onError, maxRequestBodySize: maxBodyBytes });
  const server = createServer(
    (request, response) => void handle(request as Parameters<typeof handle>[0], response),
  );
  const failure = await new Promise<NodeJS.ErrnoException | null>((resolve) => {
    server.once('error', resolve);
    server.listen(address.port, address.host, () => resolve(null));
  });
  if (failure !== null) return { type: 'refused', why: await describeFailure(failure, options) };
  server.on('error', onError);
  const { port } = server.address() as AddressInfo;
  return {
    type: 'listening',
    url: `http://${formatAddress({ ...address, port })}${options.path}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function describeFailure(
  { code, message }: NodeJS.ErrnoException,
  { address, option }: { readonly address: HttpAddress; readonly option: string },
): Promise<string> {
  const where = formatAddress(address);
  if (code === 'EADDRINUSE') {
    const holder = await findPortHolder(address.port);
    const who =
      holder === null
        ? 'another process'
        : `${holder.pid === null ? 'another user' : `pid ${holder.pid}`} (${quote(holder.command)})`;
    return `The address ${where} is taken by ${who}. End that one, or choose another port: ${option} ${formatAddress({ ...address, port: address.port + 1 })}.`;
  }
  if (code === 'EACCES') return `Listening on ${where} is not allowed: choose a port from 1024 on.`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return `${quote(address.host)} is not an address of this machine: choose 127.0.0.1.`;
  return `Listening on ${where} failed: ${message}.`;
}
