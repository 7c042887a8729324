import { randomUUID } from 'node:crypto';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type { McpServer } from '../create-mcp-server.ts';
import { refusal } from './guard-request.ts';
import { whenSent } from './when-sent.ts';

/**
 * Clients of the older era: each has a session, and a server of its own. A session ends by the client's word, or after `idleMs` without
 * a request and without an open stream; with it end its processes.
 */
export interface HttpSessions {
  fetch(request: Request): Promise<Response>;
  close(): Promise<void>;
}

interface Session {
  readonly id: string;
  readonly server: McpServer;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  /** Requests under way and streams. */
  open: number;
  expiry: NodeJS.Timeout | undefined;
}

export function createHttpSessions(options: {
  readonly createServer: (name: string) => McpServer;
  readonly idleMs: number;
  readonly maxBodyBytes: number;
}): HttpSessions {
  const { createServer, idleMs, maxBodyBytes } = options;
  const sessions = new Map<string, Session>();

  const end = async (session: Session) => {
    clearTimeout(session.expiry);
    sessions.delete(session.id);
    await session.transport.close();
    await session.server.close();
  };
  const enter = (session: Session) => {
    clearTimeout(session.expiry);
    session.open += 1;
  };
  const leave = (session: Session) => {
    session.open -= 1;
    if (session.open > 0 || sessions.get(session.id) !== session) return;
    session.expiry = setTimeout(() => void end(session), idleMs).unref();
  };
  const answer = async (session: Session, request: Request) => {
    enter(session);
    try {
      return whenSent(await session.transport.handleRequest(request), {
        signal: request.signal,
        done: () => leave(session),
      });
    } catch (error) {
      leave(session);
      throw error;
    }
  };
  const open = async (request: Request) => {
    const id = randomUUID();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      maxRequestBodySize: maxBodyBytes,
    });
    const server = createServer(`session-${id}`);
    const session: Session = { id, server, transport, open: 0, expiry: undefined };
    sessions.set(id, session);
    transport.onclose = () => void end(session);
    await server.createInstance({ era: 'legacy' }).connect(transport);
    const response = await answer(session, request);
    // Only a handshake gives it its id; anything else was refused.
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
