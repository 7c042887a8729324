import { Server, type ServerContext, type Tool } from '@modelcontextprotocol/server';
import type { Subscription } from 'rxjs';
import { toMcpTools } from '../tools/dialects/mcp-tools.ts';
import { answerCall } from './answer-call.ts';
import type { McpClient } from './mcp-client.ts';
import type { LogNotice } from './notice-log.ts';
import { findResource, listResources, listTemplates, readResource } from './resources.ts';

const INSTRUCTIONS = [
  'Commands run as supervised processes; one that takes long continues in the background and has an id. Nothing wakes you when it ends:',
  'wait for it, or ask. The next answer of any of these tools also reports an end that you have not seen yet. Cancelling a call ends',
  'the waiting and not the process.',
].join(' ');

const ENDS =
  'All processes end when you are gone for good: on stdio with the connection, by HTTP with the session.';
const STAYS =
  'Processes outlive this connection: what earlier ones have started is still there, and ends that none has seen are reported to you.';

/**
 * Creates a protocol server for one connection of a client, or for one request. For a `connection` it pushes changes by
 * itself; for a request that is left to the transport.
 */
export function createInstance(
  client: McpClient,
  { era, serves }: { readonly era: 'legacy' | 'modern'; readonly serves: 'connection' | 'request' },
): Server {
  const { processes, policy } = client;
  const server = new Server(
    { name: 'troupe', title: 'Troupe: supervised processes', version: client.version },
    {
      capabilities: { tools: {}, resources: { subscribe: true, listChanged: true }, logging: {} },
      instructions: `${INSTRUCTIONS} ${client.keepsProcesses ? STAYS : ENDS}`,
      inputRequired: { roundTimeoutMs: Math.max(1, policy.settings.askTimeout) },
    },
  );
  const subscribed = new Set<string>();
  server.setRequestHandler('tools/list', () => ({ tools: [...toMcpTools(client.tools)] as Tool[] }));
  server.setRequestHandler('tools/call', async (request, context) => {
    const stopLogging = era === 'modern' ? logDuring(context, client) : null;
    try {
      return await answerCall(request, { client, server, era, context });
    } finally {
      stopLogging?.unsubscribe();
    }
  });
  server.setRequestHandler('resources/list', ({ params }) => listResources(processes, params?.cursor));
  server.setRequestHandler('resources/templates/list', listTemplates);
  server.setRequestHandler('resources/read', ({ params }) => readResource(processes, params.uri));
  server.setRequestHandler('resources/subscribe', ({ params }) => {
    findResource(processes, params.uri);
    subscribed.add(params.uri);
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', ({ params }) => {
    subscribed.delete(params.uri);
    return {};
  });
  if (serves === 'request') return server;

  let pushing: Subscription | null = null;
  const push = () => {
    pushing ??= pushChanges(server, { client, subscribed: era === 'legacy' ? subscribed : null });
  };
  // A client of the older era may receive nothing before the handshake is done.
  if (era === 'legacy') server.oninitialized = push;
  else push();
  server.onclose = () => pushing?.unsubscribe();
  return server;
}

/** Pushes changes to the client. In the newer era the library filters them by the client's subscriptions. */
function pushChanges(
  server: Server,
  { client, subscribed }: { client: McpClient; subscribed: ReadonlySet<string> | null },
): Subscription {
  const { processes, onError } = client;
  const pushing = processes.changes$.subscribe((change) => {
    if (server.transport === undefined) return;
    if (change.type === 'list') server.sendResourceListChanged().catch(onError);
    else if (subscribed === null || subscribed.has(change.uri)) {
      server.sendResourceUpdated({ uri: change.uri }).catch(onError);
    }
  });
  if (subscribed !== null) {
    pushing.add(
      processes.logs$.subscribe((notice) => {
        const sessionId = server.transport?.sessionId;
        if (server.transport !== undefined)
          server.sendLoggingMessage(toLog(notice), sessionId).catch(onError);
      }),
    );
  }
  return pushing;
}

/** Sends logs during a request: the newer era has them only within a request that asks for them. */
function logDuring({ mcpReq }: ServerContext, { processes, onError }: McpClient): Subscription {
  return processes.logs$.subscribe((notice) => {
    const { level, data, logger } = toLog(notice);
    mcpReq.log(level, data, logger).catch(onError);
  });
}

function toLog({ isBad, text }: LogNotice) {
  const level = isBad ? ('warning' as const) : ('info' as const);
  return { level, logger: 'troupe', data: text };
}
