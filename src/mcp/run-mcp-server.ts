import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { Duration } from '../config/duration.ts';
import { toErrorText } from '../config/error-text.ts';
import type { PolicyOptions } from '../config/policy-options.ts';
import { shorten } from '../config/quote.ts';
import { TroupeError } from '../config/troupe-error.ts';
import { createReachableSupervisor } from '../control/reachable-supervisor.ts';
import type { Policy } from '../policy/policy.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import type { SupervisorOptions } from '../supervisor/supervisor-options.ts';
import type { Tool } from '../tools/tool.ts';
import type { ClientPlace } from './client-place.ts';
import { createMcpServer, type McpServer, type McpServerOptions } from './create-mcp-server.ts';
import { createMcpFetchHandler } from './http/create-mcp-fetch-handler.ts';
import { type HttpAddress, isLoopback, toHostname } from './http/http-address.ts';

/** Options of a server over HTTP. Only `address` is required. */
export interface HttpOptions {
  /** The address to listen on; see `parseHttpAddress`. */
  readonly address: HttpAddress;
  /** Allows an address that other machines can reach. Requires a token. Default `false`. */
  readonly allowRemote?: boolean;
  /** The token that clients send as `Authorization: Bearer …`. Default: none is required. */
  readonly token?: string;
  /** Origins of web pages that may call, exactly as browsers send them: `https://app.example`. Default: none. */
  readonly origins?: readonly string[];
  /** The silence after which a client without live processes counts as gone. Default 1 h. */
  readonly sessionIdle?: Duration;
}

/** Options of `runMcpServer`. */
export interface McpRunOptions {
  /** Serves over HTTP. Default: stdin and stdout, with one client. */
  readonly http?: HttpOptions;
  /** The tools to offer, except those that the policy denies altogether. Default: the set `process`. */
  readonly tools?: readonly Tool[];
  /** The policy. Default: mode `auto`. */
  readonly policy?: Policy | PolicyOptions;
  /**
   * Options of the supervisor, which is created when a tool is first used. A function receives the directory of the client: the first of its
   * roots, or `null` where it has none, and over HTTP, where clients share the supervisor.
   */
  readonly supervisor?: SupervisorOptions | ((root: string | null) => SupervisorOptions);
  /**
   * The owner of the client's processes on stdio: a later session with the same owner finds what this one leaves behind. Refused over HTTP.
   * Default: the client's name and a random id, which no other session has.
   */
  readonly owner?: string;
  /** The version that the server reports. Default `0`. */
  readonly version?: string;
  /** Receives one line for a person. It must not write to stdout, which belongs to the protocol. */
  readonly log: (line: string) => void;
  /** Ends the server in order when aborted. */
  readonly signal: AbortSignal;
  /** The input of the protocol. Default: stdin of this program. */
  readonly stdin?: Readable;
  /** The output of the protocol. Default: stdout of this program. */
  readonly stdout?: Writable;
}

/**
 * Serves the Model Context Protocol until the client closes its end, or `signal` is aborted; then the processes are ended, and
 * it resolves with the exit code: 0, or 1 where it could not serve or the connection broke.
 *
 * @throws TroupeError `invalid-option` for an address that others can reach without `allowRemote` and a token, and for an owner by HTTP.
 */
export async function runMcpServer(options: McpRunOptions): Promise<number> {
  const { http, log, owner, supervisor: given = {} } = options;
  if (http !== undefined) checkHttp(http, owner);
  let made: Supervisor | null = null;
  const serverOptions = {
    wantsRoot: http === undefined && typeof given === 'function',
    supervisor: ({ root }: ClientPlace) => {
      made ??= createReachableSupervisor(typeof given === 'function' ? given(root) : given);
      return made;
    },
    ...(options.tools !== undefined && { tools: options.tools }),
    ...(options.policy !== undefined && { policy: options.policy }),
    ...(options.version !== undefined && { version: options.version }),
    onError: (error: Error) => log(toLine(error)),
  };
  try {
    if (http !== undefined) return await serveClients(serverOptions, { ...options, http });
    return await serveClient(
      createMcpServer({ ...serverOptions, ...(owner !== undefined && { owner }) }),
      options,
    );
  } finally {
    await (made as Supervisor | null)?.shutdown();
  }
}

async function serveClient(
  server: McpServer,
  { signal, stdin = process.stdin, stdout = process.stdout }: McpRunOptions,
): Promise<number> {
  await using _ = server;
  const transport = new StdioServerTransport(stdin, stdout);
  const served = server.serve(transport);
  const stop = () => void server.close();
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  await served;
  signal.removeEventListener('abort', stop);
  // A connection that ends for any other reason has broken.
  return signal.aborted || stdin.readableEnded ? 0 : 1;
}

async function serveClients(
  serverOptions: McpServerOptions,
  { http, log, signal }: McpRunOptions & { readonly http: HttpOptions },
): Promise<number> {
  const { serveHttp } = await import('./http/serve-http.ts');
  const { address, origins, token, sessionIdle } = http;
  const onError = (error: Error) => log(toLine(error));
  const handler = createMcpFetchHandler({
    ...serverOptions,
    hosts: isLoopback(address) ? [toHostname(address)] : 'any',
    ...(origins !== undefined && { origins }),
    ...(token !== undefined && { token }),
    ...(sessionIdle !== undefined && { sessionIdle }),
  });
  const listener = await serveHttp({
    address,
    path: '/mcp',
    option: '--http',
    fetch: handler.fetch,
    onError,
  });
  if (listener.type === 'refused') {
    log(listener.why);
    return 1;
  }
  log(`The Model Context Protocol is served at ${listener.url}.`);
  await aborted(signal);
  await handler.close();
  await listener.close();
  return 0;
}

function checkHttp(http: HttpOptions, owner: string | undefined): void {
  const { address, allowRemote = false, token = '' } = http;
  const refuse = (message: string) => new TroupeError({ code: 'invalid-option', message });
  if (owner !== undefined) {
    throw refuse(
      'By HTTP there are many clients, and each has an owner of its own. Name an owner on stdio only.',
    );
  }
  if (isLoopback(address) || (allowRemote && token !== '')) return;
  throw refuse(
    `Other machines can reach ${address.host}, and any client that reaches this server can run commands here. ` +
      'Listen on 127.0.0.1, or allow it explicitly and set a token that clients have to send.',
  );
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Returns one line without control characters: the error may quote input from outside. */
function toLine(error: unknown): string {
  const text = toErrorText(error)
    .replace(/[\s\x00-\x1f\x7f-\x9f]+/g, ' ')
    .trim();
  return shorten(text, 300);
}
