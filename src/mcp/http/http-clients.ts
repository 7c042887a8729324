import { isLegacyRequest } from '@modelcontextprotocol/server';
import type { McpServer } from '../create-mcp-server.ts';
import { refusal } from './guard-request.ts';
import { createHttpSessions } from './http-sessions.ts';
import { createNamedClients } from './named-clients.ts';

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
 * `/mcp/<name>`. Either ends when it has been idle for long and nothing of it runs.
 */
export function createHttpClients(options: {
  /** `name` is that of a client's address, empty for `/mcp`; `null` for a session. */
  readonly createServer: (name: string | null) => McpServer;
  readonly idleMs: number;
  readonly onError: (error: Error) => void;
}): HttpClients {
  const sessions = createHttpSessions({
    ...options,
    createServer: () => options.createServer(null),
    maxBodyBytes,
  });
  const named = createNamedClients({ ...options, maxBodyBytes });

  return {
    async fetch(request) {
      const [isOurs, name] = PATH.exec(new URL(request.url).pathname) ?? [];
      if (isOurs === undefined) return refusal(404, 'The Model Context Protocol is spoken at /mcp.');
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
