import { z } from 'zod';
import { type Duration, duration } from '../../config/duration.ts';
import { parseOptions } from '../../config/parse-options.ts';
import { quote } from '../../config/quote.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import { createMcpServer, type McpServerOptions } from '../create-mcp-server.ts';
import { createOwner } from '../create-owner.ts';
import { allowOrigin, answerPreflight, isPreflight, parseOrigin } from './cross-origin.ts';
import { areLocal, type Guard, guardRequest } from './guard-request.ts';
import { createHttpClients } from './http-clients.ts';

/** Options of `createMcpFetchHandler`. Only `supervisor` is required. */
export interface McpFetchOptions
  extends Pick<McpServerOptions, 'supervisor' | 'tools' | 'policy' | 'version' | 'timing' | 'onError'> {
  /** The path of the handler in the program around it. Paths below it, with one name, are clients of their own. Default `/mcp`. */
  readonly path?: string;
  /**
   * Host names under which other machines reach the program, or `any`; without the port. Requires `token`. Default: none, so that only requests
   * to a local name are answered.
   */
  readonly hosts?: readonly string[] | 'any';
  /** Origins of web pages that may call, exactly as browsers send them: `https://app.example`. Default: none. */
  readonly origins?: readonly string[];
  /**
   * The token that clients send as `Authorization: Bearer …`. `null`: none is required, because the program around it lets only its own
   * users reach the handler. Default: none, which is refused together with `hosts`.
   */
  readonly token?: string | null;
  /** The silence after which a client without live processes counts as gone. Default 1 h. */
  readonly sessionIdle?: Duration;
}

/** Serves the Model Context Protocol inside an HTTP server of the program. */
export interface McpFetchHandler extends AsyncDisposable {
  /** Answers a request, in either era of the protocol. Needs no `this`. The headers must be those of the client, `Host` included. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Ends all clients with their processes. The supervisor stays. */
  close(): Promise<void>;
}

/**
 * Creates a handler for any server that speaks in `Request` and `Response`: Hono, a route of Next.js, Bun, Deno. It runs in the program
 * of the supervisor, so it needs Node's processes.
 *
 * @throws TroupeError `invalid-option`
 */
export function createMcpFetchHandler(options: McpFetchOptions): McpFetchHandler {
  const { path = '/mcp', onError = () => {} } = options;
  const guard = toGuard(options);
  const { sessionIdle: idleMs } = parseOptions(z.object({ sessionIdle: duration.optional() }), {
    input: { sessionIdle: options.sessionIdle },
    name: 'createMcpFetchHandler',
  });
  const { supervisor, tools, policy, version, timing } = options;
  const clients = createHttpClients({
    createServer: (name) =>
      createMcpServer({
        ...{ supervisor, onError },
        ...(name !== null && { owner: createOwner(name) }),
        ...(tools !== undefined && { tools }),
        ...(policy !== undefined && { policy }),
        ...(version !== undefined && { version }),
        ...(timing !== undefined && { timing }),
      }),
    path: parsePath(path),
    idleMs,
    onError,
  });
  const answer = (request: Request) =>
    guardRequest(request, guard) ??
    (isPreflight(request, guard.origins) ? answerPreflight(request) : clients.fetch(request));

  return {
    fetch: async (request) => allowOrigin(await answer(request), { request, origins: guard.origins }),
    close: clients.close,
    [Symbol.asyncDispose]: clients.close,
  };
}

function toGuard({ hosts = [], origins = [], token }: McpFetchOptions): Guard {
  const guard = { hosts, origins: origins.map(parseOrigin), token: token ?? null };
  if (areLocal(hosts) || token === null || (token ?? '') !== '') return guard;
  const message =
    `createMcpFetchHandler: "hosts" is ${quote(String(hosts))}, so other machines can reach it, and any client that does can run commands here. ` +
    'Set "token"; or null if the program around it lets only its own users reach the handler.';
  throw new TroupeError({ code: 'invalid-option', message });
}

/** Returns the path without a slash at its end. */
function parsePath(path: string): string {
  if (path.startsWith('/')) return path.replace(/\/+$/, '');
  const message = `createMcpFetchHandler: "path" is ${quote(path)}; expected a path that begins with "/".`;
  throw new TroupeError({ code: 'invalid-option', message });
}
