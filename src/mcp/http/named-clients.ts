import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server';
import { toError } from '../../config/error-text.ts';
import type { McpServer } from '../create-mcp-server.ts';
import { refusal } from './guard-request.ts';
import { createIdleWatch, type IdleWatch } from './idle-watch.ts';

/** Beyond this number the client that has been idle for longest ends; one with live processes is not idle. */
const MAX_CLIENTS = 64;

/**
 * Clients of the newer era, by the names in their addresses. A client ends after `idleMs` without a request, an open stream, or a
 * live process, or while idle to make room for a new one. The next request creates it anew, with another owner.
 */
export interface NamedClients {
  fetch(name: string, request: Request): Promise<Response>;
  close(): Promise<void>;
}

interface Client {
  readonly server: McpServer;
  readonly handler: McpHttpHandler;
  readonly watch: IdleWatch;
}

export function createNamedClients(options: {
  readonly createServer: (name: string) => McpServer;
  readonly idleMs: number;
  readonly maxBodyBytes: number;
  readonly onError: (error: Error) => void;
}): NamedClients {
  const { createServer, idleMs, onError } = options;
  /** The least recently used first. */
  const clients = new Map<string, Client>();
  const ending = new Map<string, Promise<void>>();

  const end = async (name: string, { server, handler, watch }: Client) => {
    watch.stop();
    clients.delete(name);
    const ended = handler
      .close()
      .then(() => server.close())
      .catch((error) => onError(toError(error)))
      .finally(() => ending.delete(name));
    ending.set(name, ended);
    await ended;
  };
  const open = (name: string): Client => {
    const server = createServer(name);
    const watch = createIdleWatch({
      idleMs,
      isBusy: () => server.isBusy,
      onIdle: () => void end(name, client),
    });
    const client: Client = { server, handler: serveRequests(server, options), watch };
    return client;
  };
  /** Returns `null` where there is no room for another client. */
  const find = async (name: string): Promise<Client | null> => {
    // While a client ends, its owner's processes are killed, also those that a successor would start.
    while (ending.has(name)) await ending.get(name);
    const known = clients.get(name);
    if (known === undefined && clients.size >= MAX_CLIENTS) {
      const [idle] = [...clients].filter(([, { watch }]) => watch.isIdle);
      if (idle === undefined) return null;
      void end(...idle);
    }
    const client = known ?? open(name);
    clients.delete(name);
    clients.set(name, client);
    return client;
  };

  return {
    async fetch(name, request) {
      const client = await find(name);
      if (client === null) {
        return refusal(503, `There are ${MAX_CLIENTS} busy clients, which is the maximum: try again later.`);
      }
      return client.watch.during(request, () => client.handler.fetch(request));
    },
    close: async () => {
      await Promise.all([...[...clients].map((client) => end(...client)), ...ending.values()]);
    },
  };
}

/** Creates a handler and notifies it of changes: the library serves subscriptions as streams of their own. */
function serveRequests(
  server: McpServer,
  { onError, maxBodyBytes }: { onError: (error: Error) => void; maxBodyBytes: number },
): McpHttpHandler {
  const handler = createMcpHandler((context) => server.createInstance(context), {
    legacy: 'reject',
    onerror: onError,
    maxRequestBodySize: maxBodyBytes,
  });
  const changes = server.changes$.subscribe((change) => {
    if (change.type === 'list') handler.notify.resourcesChanged();
    else handler.notify.resourceUpdated(change.uri);
  });
  return {
    ...handler,
    close: async () => {
      changes.unsubscribe();
      await handler.close();
    },
  };
}
