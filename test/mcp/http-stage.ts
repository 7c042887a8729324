import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type HttpOptions, parseHttpAddress, runMcpServer } from '../../src/mcp/index.ts';
import { tempDir, waitUntil } from '../support/os.ts';
import { type Era, speaking } from './arrange.ts';

/** After so long without a word a client is idle: longer than this program may be stopped between two requests of one that is busy. */
export const IDLE_MS = 2_500;

/** The first message of a client of the older era. */
export const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};

/** A server in this program, listening on a free port of the loopback; its processes are real. */
export async function serveByHttp(http: Partial<HttpOptions> = {}) {
  const directory = tempDir();
  const stop = new AbortController();
  const lines: string[] = [];
  const ended = runMcpServer({
    http: { address: parseHttpAddress('127.0.0.1:0'), ...http },
    supervisor: { cwd: directory.path, stateDirectory: false, shutdownGrace: 500 },
    signal: stop.signal,
    log: (line) => lines.push(line),
  });
  const url = await waitUntil(() => lines.map((line) => /http:\S+\/mcp/.exec(line)?.[0]).find(Boolean));
  const clients: Client[] = [];
  return {
    url,
    lines,
    directory,
    connect: async (
      era: Era,
      options: { path?: string; headers?: Record<string, string>; more?: ClientOptions } = {},
    ) => {
      const client = new Client({ name: 'test', version: '1' }, { ...speaking(era), ...options.more });
      clients.push(client);
      const transport = new StreamableHTTPClientTransport(new URL(url + (options.path ?? '')), {
        requestInit: { headers: options.headers ?? {} },
      });
      await client.connect(transport);
      return { client, transport };
    },
    stop: async () => {
      stop.abort();
      return ended;
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(clients.map((client) => client.close()));
      stop.abort();
      await ended;
      directory.remove();
    },
  };
}

/** A request by hand. The address is the real one; `host` is what the client says it is. */
export async function post(
  url: string,
  { headers = {}, body }: { readonly headers?: Record<string, string>; readonly body: unknown },
): Promise<{ readonly status: number; readonly text: string; readonly sessionId: string }> {
  const { request } = await import('node:http');
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        const sessionId = String(response.headers['mcp-session-id'] ?? '');
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text, sessionId }));
      },
    );
    sent.on('error', reject);
    sent.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
}
