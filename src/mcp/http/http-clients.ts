import { isLegacyRequest } from '@modelcontextprotocol/server';
import type { McpServer } from '../create-mcp-server.ts';
import { refusal } from './guard-request.ts';
import { createHttpSessions } from './http-sessions.ts';
import { createNamedClients } from './named-clients.ts';

/** The largest body of a request. */
export const maxBodyBytes = 4 * 1024 * 1024;

/** The silence after which a client without live processes counts as gone. */
const defaultIdleMs = 60 * 60_000;

const NAME = /^(?:\/([\w-]{1,32}))?\/?$/;

/** The clients over HTTP, of both eras. */
export interface HttpClients {
  fetch(request: Request): Promise<Response>;
  /** Ends all clients with their processes. */
  close(): Promise<void>;
}

/**
 * Creates the clients. In the older era each session is a client. The newer one has no sessions: there each address is a client, `path` or
 * `path/<name>`. Both end when they have been idle for long and have no live process.
 */
export function createHttpClients(options: {
  /** Creates the server of a client. `name` is that of its address, empty for `/mcp`; `null` for a session. */
  readonly createServer: (name: string | null) => McpServer;
  /** Without a slash at its end. */
  readonly path: string;
  /** Default: 1 h. */
  readonly idleMs?: number | undefined;
  readonly onError: (error: Error) => void;
}): HttpClients {
  const { path, idleMs = defaultIdleMs } = options;
  const sessions = createHttpSessions({
    ...options,
    idleMs,
    createServer: () => options.createServer(null),
    maxBodyBytes,
  });
  const named = createNamedClients({ ...options, idleMs, maxBodyBytes });

  return {
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const rest = pathname.startsWith(path) ? pathname.slice(path.length) : null;
      const [isOurs, name] = (rest === null ? null : NAME.exec(rest)) ?? [];
      if (isOurs === undefined)
        return refusal(404, `The Model Context Protocol is spoken at ${path === '' ? '/' : path}.`);
      if (await isLegacyRequest(request, undefined, { maxRequestBodySize: maxBodyBytes })) {
        return sessions.fetch(request);
      }
      return named.fetch(name ?? '', request);
    },
    close: async () => {
      await Promise.all([sessions.close(), named.close()]);
    },
  };
}
