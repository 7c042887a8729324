import type { McpRequestContext, Server, Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Observable } from 'rxjs';
import type { PolicyOptions } from '../config/policy-options.ts';
import { createGrants } from '../policy/grant.ts';
import type { Policy } from '../policy/policy.ts';
import { type HeldPolicy, toPolicy } from '../policy/to-policy.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import { offerTools } from '../tools/offer-tools.ts';
import type { Tool } from '../tools/tool.ts';
import { processTools } from '../tools/tool-sets.ts';
import { type ClientPlace, createPlaceFinder } from './client-place.ts';
import { createClientProcesses } from './client-processes.ts';
import { createInstance } from './create-instance.ts';
import type { McpClient } from './mcp-client.ts';
import type { ChangeTiming, ResourceChange } from './resource-changes.ts';

export interface McpServerOptions {
  /**
   * Runs the processes, and is ended by whoever made it. A function is called when a tool is first used, and again only where it
   * failed; it is told who the client says it is.
   */
  readonly supervisor: Supervisor | ((place: ClientPlace) => Supervisor | Promise<Supervisor>);
  /** Whether `supervisor`, a function, wants to know the client's first root: the client is asked for it then. Default `false`. */
  readonly wantsRoot?: boolean;
  /** Default: the set `process`. Those that the policy denies altogether are not offered. */
  readonly tools?: readonly Tool[];
  /** Default: mode `auto`. What it asks for is asked of the person at the client, and denied where the client cannot ask. */
  readonly policy?: Policy | PolicyOptions;
  /**
   * The owner of this client's processes, which sees no others: also what an earlier client with this owner has left. Default: the
   * client's name and a random id, so that each session has its own.
   */
  readonly owner?: string;
  /** What the server says of itself. Default `0`. */
  readonly version?: string;
  readonly timing?: Partial<ChangeTiming>;
  /** Gets what goes wrong on the way to the client. */
  readonly onError?: (error: Error) => void;
}

/** A supervisor's processes for one client of the Model Context Protocol, in both eras of it and without any transport. */
export interface McpServer extends AsyncDisposable {
  /** `null` before the first call of a tool, unless the options name it. */
  readonly owner: string | null;
  /** Something of this client runs, waits for a start, or was left alive. */
  readonly isBusy: boolean;
  /** Serves a connection: the first message decides the era. Resolves when it has ended; the processes live on until `close`. */
  serve(transport: Transport): Promise<void>;
  /** A speaker for one connection, or, where the context has a request, for that one. Connect it to a transport of your own. */
  createInstance(context: McpRequestContext): Server;
  /** What changes among the resources, from now on. */
  readonly changes$: Observable<ResourceChange>;
  /** Ends the connections, and the processes of this client with all they started. */
  close(): Promise<void>;
}

/** @throws TroupeError `invalid-option` */
export function createMcpServer(options: McpServerOptions): McpServer {
  const { owner = null, wantsRoot = false, version = '0', onError = () => {} } = options;
  const given = options.policy ?? { mode: 'auto' };
  const { policy } = toPolicy(given, { workspace: process.cwd() });
  let placed: HeldPolicy | null = null;
  const timing = { quietMs: 100, growthMs: 1_000, ...options.timing };
  const processes = createClientProcesses({ owner, supervisor: options.supervisor, timing });
  const closing = new AbortController();
  const tools = offerTools(options.tools ?? processTools, policy);
  const client: McpClient = {
    processes,
    tools,
    policy,
    policyOf: ({ cwd: workspace }) => {
      placed ??= toPolicy(given, { workspace });
      return placed.policy;
    },
    findPlace: createPlaceFinder(() => wantsRoot && !processes.isPlaced),
    grants: createGrants(),
    timing,
    version,
    closed: closing.signal,
    onError,
  };
  const connections = new Set<{ close(): Promise<void> }>();

  const serve = (transport: Transport) =>
    new Promise<void>((resolve) => {
      const connection = serveStdio(({ era }) => createInstance(client, { era, serves: 'connection' }), {
        transport,
        onerror: onError,
      });
      connections.add(connection);
      const { onclose } = transport;
      transport.onclose = () => {
        connections.delete(connection);
        onclose?.();
        resolve();
      };
      if (closing.signal.aborted) void connection.close();
    });
  let closed: Promise<void> | null = null;
  const close = async () => {
    closing.abort(new Error('The client has gone.'));
    await Promise.all([...connections].map((connection) => connection.close()));
    await processes.end();
    await placed?.release();
  };
  const closeOnce = () => {
    closed ??= close();
    return closed;
  };

  return {
    get owner() {
      return processes.owner;
    },
    get isBusy() {
      return processes.isBusy;
    },
    serve,
    createInstance: ({ era, requestInfo }) =>
      createInstance(client, { era, serves: requestInfo === undefined ? 'connection' : 'request' }),
    changes$: processes.changes$,
    close: closeOnce,
    [Symbol.asyncDispose]: closeOnce,
  };
}
