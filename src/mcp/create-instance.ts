import { Server, type ServerContext, type Tool } from '@modelcontextprotocol/server';
import type { Subscription } from 'rxjs';
import { toNotice } from '../conversation/notice.ts';
import { toMcpTools } from '../tools/dialects/mcp-tools.ts';
import { answerCall } from './answer-call.ts';
import type { McpClient } from './mcp-client.ts';
import type { News } from './notice-box.ts';
import { findResource, listResources, listTemplates, readResource } from './resources.ts';

const INSTRUCTIONS = [
  'Commands run as supervised processes; one that takes long goes on in the background and has an id. Nothing wakes you when it ends:',
  'wait for it, or ask. An end that you have not seen yet is also told with the next answer of any of these tools. Cancelling a call ends',
  'the waiting and not the process. All processes end when you are gone for good: on stdio with the connection, by HTTP with the session.',
].join(' ');

/**
 * One speaker of the protocol for one client: for a connection, or for a single request. A `connection` also tells by itself what
 * changes; for a single request whoever serves it does.
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
      instructions: INSTRUCTIONS,
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
  // Before the handshake of the older era is done its client may be told nothing.
  if (era === 'legacy') server.oninitialized = push;
  else push();
  server.onclose = () => pushing?.unsubscribe();
  return server;
}

/** In the newer era whoever serves the connection knows the subscriptions and lets through what was asked for. */
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
      processes.news$.subscribe((news) => {
        const sessionId = server.transport?.sessionId;
        if (server.transport !== undefined) server.sendLoggingMessage(toLog(news), sessionId).catch(onError);
      }),
    );
  }
  return pushing;
}

/** The newer era knows logs only within a request that asks for them. */
function logDuring({ mcpReq }: ServerContext, { processes, onError }: McpClient): Subscription {
  return processes.news$.subscribe((news) => {
    const { level, data, logger } = toLog(news);
    mcpReq.log(level, data, logger).catch(onError);
  });
}

function toLog(news: readonly News[]) {
  const isBad = news.some(({ view }) => view !== null && view.status !== 'completed');
  const level = isBad ? ('warning' as const) : ('info' as const);
  return { level, logger: 'troupe', data: toNotice(news.map(({ part }) => part)) };
}
