import { createMcpHandler, isLegacyRequest, type McpHttpHandler } from '@modelcontextprotocol/server';
import type { McpServer } from '../create-mcp-server.ts';
import { refusal } from './guard-request.ts';
import { createHttpSessions } from './http-sessions.ts';

/** A request with a larger body is refused. */
export const maxBodyBytes = 4 * 1024 * 1024;

const PATH = /^\/mcp(?:\/([\w-]{1,32}))?$/;

/** All clients that come by HTTP, of both eras. */
export interface HttpClients {
  fetch(request: Request): Promise<Response>;
  /** Ends them with their processes. */
  close(): Promise<void>;
}

/**
 * In the older era each session is a client. The newer one knows no sessions: there the address is the client, `/mcp` or
 * `/mcp/<name>`, and it stays for as long as the server.
 */
export function createHttpClients(options: {
  readonly createServer: (name: string) => McpServer;
  readonly sessionIdleMs: number;
  readonly onError: (error: Error) => void;
}): HttpClients {
  const { createServer, sessionIdleMs, onError } = options;
  const sessions = createHttpSessions({ createServer, idleMs: sessionIdleMs, maxBodyBytes });
  const named = new Map<string, { readonly server: McpServer; readonly handler: McpHttpHandler }>();

  const clientOf = (name: string) => {
    const known = named.get(name);
    if (known !== undefined) return known;
    const server = createServer(name);
    const client = { server, handler: serveRequests(server, onError) };
    named.set(name, client);
    return client;
  };

  return {
    async fetch(request) {
      const [isOurs, name] = PATH.exec(new URL(request.url).pathname) ?? [];
      if (isOurs === undefined) return refusal(404, 'The Model Context Protocol is spoken at /mcp.');
      if (await isLegacyRequest(request, undefined, { maxRequestBodySize: maxBodyBytes })) {
        return sessions.fetch(request);
      }
      return clientOf(name === undefined ? 'shared' : `client-${name}`).handler.fetch(request);
    },
    close: async () => {
      await Promise.all([...named.values()].map(({ handler }) => handler.close()));
      await Promise.all([sessions.close(), ...[...named.values()].map(({ server }) => server.close())]);
    },
  };
}

/** Subscriptions are streams of their own here; the library serves them, and wants to know what changes. */
function serveRequests(server: McpServer, onError: (error: Error) => void): McpHttpHandler {
  const handler = createMcpHandler((context) => server.createInstance(context), {
    legacy: 'reject',
    onerror: onError,
    maxRequestBodySize: maxBodyBytes,
  });
  server.changes$.subscribe((change) => {
    if (change.type === 'list') handler.notify.resourcesChanged();
    else handler.notify.resourceUpdated(change.uri);
  });
  return handler;
}
