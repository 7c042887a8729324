import type { McpRequestContext, Server, Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Observable } from 'rxjs';
import { z } from 'zod';
import { parseOptions } from '../config/parse-options.ts';
import type { PolicyOptions } from '../config/policy-options.ts';
import type { Policy } from '../policy/policy.ts';
import { toPolicy } from '../policy/to-policy.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import { offerTools } from '../tools/offer-tools.ts';
import type { Tool } from '../tools/tool.ts';
import { processTools } from '../tools/tool-sets.ts';
import { type ClientPlace, createPlaceFinder } from './client-place.ts';
import { createClientProcesses } from './client-processes.ts';
import { createInstance } from './create-instance.ts';
import type { McpClient } from './mcp-client.ts';
import { type ChangeOptions, changeOptions, type ResourceChange } from './resource-changes.ts';

/** Options of `createMcpServer`. Only `supervisor` is required. */
export interface McpServerOptions {
  /**
   * Runs the processes; the caller shuts it down. A function is called when a tool is first used, and again only after it
   * failed; it receives the name and directory of the client.
   */
  readonly supervisor: Supervisor | ((place: ClientPlace) => Supervisor | Promise<Supervisor>);
  /** Asks the client for its first root before `supervisor`, a function, is called. Default `false`. */
  readonly wantsRoot?: boolean;
  /** The tools to offer, except those that the policy denies altogether. Default: the set `process`. */
  readonly tools?: readonly Tool[];
  /** The policy. Its questions go to the person at the client, and are denied if the client cannot ask. Default: mode `auto`. */
  readonly policy?: Policy | PolicyOptions;
  /**
   * The owner of this client's processes. The client sees no others, except those that an earlier client left to the same owner. Default: the
   * client's name and a random id, so that each session has its own.
   */
  readonly owner?: string;
  /**
   * Leaves the processes running when the server is closed: a later server of the same owner receives them, and ends that were not delivered.
   * Default `false`: they are killed.
   */
  readonly keepsProcesses?: boolean;
  /** The version that the server reports. Default `0`. */
  readonly version?: string;
  /** Pauses before a client hears of changes. Default: see each. */
  readonly timing?: ChangeOptions;
  /** Receives errors of the connection to the client. Default: they are ignored. */
  readonly onError?: (error: Error) => void;
}

/** Offers a supervisor's processes to one client of the Model Context Protocol, in both eras of the protocol, over any transport. */
export interface McpServer extends AsyncDisposable {
  /** `null` before the first call of a tool, unless the options name it. */
  readonly owner: string | null;
  /** A process of this client is alive or queued, or has live leftovers. */
  readonly isBusy: boolean;
  /** Serves a connection: the first message decides the era. Resolves when it has ended; the processes live on until `close`. */
  serve(transport: Transport): Promise<void>;
  /** Creates a protocol server for one connection, or for the request of the context, to be connected to a transport of your own. */
  createInstance(context: McpRequestContext): Server;
  /** Changes of the resources, from now on. */
  readonly changes$: Observable<ResourceChange>;
  /** Ends the connections, and the process trees of this client unless it `keepsProcesses`. */
  close(): Promise<void>;
}

/** @throws TroupeError `invalid-option` */
export function createMcpServer(options: McpServerOptions): McpServer {
  const {
    owner = null,
    wantsRoot = false,
    keepsProcesses = false,
    version = '0',
    onError = () => {},
  } = options;
  const given = options.policy ?? { mode: 'auto' };
  const { policy } = toPolicy(given, { workspace: process.cwd() });
  const { timing } = parseOptions(z.object({ timing: changeOptions.prefault({}) }), {
    input: { timing: options.timing },
    name: 'createMcpServer',
  });
  const closing = new AbortController();
  const tools = offerTools(options.tools ?? processTools, policy, { notices: 'next-answer' });
  const processes = createClientProcesses({
    ...{ owner, supervisor: options.supervisor, timing },
    host: { tools: options.tools, policy: given },
  });
  const client: McpClient = {
    processes,
    tools,
    policy,
    findPlace: createPlaceFinder(() => wantsRoot && !processes.isPlaced),
    timing,
    version,
    keepsProcesses,
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
    closing.abort(new Error('The client has disconnected.'));
    await Promise.all([...connections].map((connection) => connection.close()));
    await processes.end({ kill: !keepsProcesses });
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
