import { randomUUID } from 'node:crypto';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { toError } from '../../config/error-text.ts';
import type { McpServer } from '../create-mcp-server.ts';
import { refusal } from './guard-request.ts';
import { createIdleWatch, type IdleWatch } from './idle-watch.ts';

/**
 * Clients of the older era: each has a session and a server of its own. A session ends with its processes when the client says so, or
 * after `idleMs` without a request, an open stream, or a live process.
 */
export interface HttpSessions {
  fetch(request: Request): Promise<Response>;
  close(): Promise<void>;
}

interface Session {
  readonly id: string;
  readonly server: McpServer;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly watch: IdleWatch;
}

export function createHttpSessions(options: {
  readonly createServer: () => McpServer;
  readonly idleMs: number;
  readonly maxBodyBytes: number;
  /** Receives errors that no caller waits for. */
  readonly onError: (error: Error) => void;
}): HttpSessions {
  const { createServer, idleMs, maxBodyBytes, onError } = options;
  const sessions = new Map<string, Session>();

  const end = async ({ id, server, transport, watch }: Session) => {
    watch.stop();
    sessions.delete(id);
    await transport.close();
    await server.close();
  };
  const endByItself = (session: Session) => void end(session).catch((error) => onError(toError(error)));
  const answer = ({ transport, watch }: Session, request: Request) =>
    watch.during(request, () => transport.handleRequest(request));
  const open = async (request: Request) => {
    const id = randomUUID();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      maxRequestBodySize: maxBodyBytes,
    });
    const server = createServer();
    const watch = createIdleWatch({
      idleMs,
      isBusy: () => server.isBusy,
      onIdle: () => endByItself(session),
    });
    const session: Session = { id, server, transport, watch };
    sessions.set(id, session);
    transport.onclose = () => endByItself(session);
    await server.createInstance({ era: 'legacy' }).connect(transport);
    const response = await answer(session, request);
    // Only a handshake gives the session its id; anything else was refused.
    if (transport.sessionId === undefined) await end(session);
    return response;
  };

  return {
    async fetch(request) {
      const id = request.headers.get('mcp-session-id');
      if (id === null) return open(request);
      const session = sessions.get(id);
      if (session === undefined)
        return refusal(404, 'There is no such session, or it has ended: begin a new one.');
      return answer(session, request);
    },
    close: async () => {
      await Promise.all([...sessions.values()].map(end));
    },
  };
}
