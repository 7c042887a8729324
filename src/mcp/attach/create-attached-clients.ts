import { resolve } from 'node:path';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import picomatch from 'picomatch';
import type { PolicyOptions } from '../../config/policy-options.ts';
import { quote } from '../../config/quote.ts';
import { credentialNames } from '../../config/supervisor-options.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import type { AttachedClients } from '../../control/attached-clients.ts';
import { type ControlParams, SHELL_OWNER } from '../../control/protocol.ts';
import { toCommandSpec } from '../../control/to-command-spec.ts';
import { createRandomId } from '../../process/process-id.ts';
import type { Supervisor } from '../../supervisor/supervisor.ts';
import { createMcpServer } from '../create-mcp-server.ts';
import { parseToolSets } from '../parse-tool-sets.ts';

type AttachParams = ControlParams<'mcp'>;

/** A client that is being served. */
interface Attached {
  readonly signal: AbortSignal;
  readonly ended: Promise<void>;
}

/**
 * Creates the server for clients of the daemon: each has an owner, below that of the shell, so that the next daemon takes over its
 * processes. One client of a name is served at a time, since an end is delivered once.
 */
export function createAttachedClients(supervisor: Supervisor): AttachedClients {
  const channels = new Map<string, Transport>();
  const clients = new Map<string, Attached>();

  return {
    serve: async (params, { signal, send }) => {
      const { name } = params;
      // The one before may still be closing.
      while (clients.get(name)?.signal.aborted) await clients.get(name)?.ended;
      if (clients.has(name)) throw nameTaken(name);
      const ended = Promise.withResolvers<void>();
      clients.set(name, { signal, ended: ended.promise });
      const channel = createRandomId();
      const transport = createTransport((message) => send({ message: message as Record<string, unknown> }));
      channels.set(channel, transport);
      try {
        await using server = openServer(supervisor, params);
        const served = server.serve(transport);
        signal.addEventListener('abort', () => void transport.close());
        if (signal.aborted) await transport.close();
        else await send({ channel }).catch(() => {});
        await served;
      } finally {
        channels.delete(channel);
        clients.delete(name);
        ended.resolve();
      }
      return null;
    },
    receive: ({ channel, message }) => {
      const transport = channels.get(channel);
      if (transport === undefined) {
        const problem = `The channel ${quote(channel)} is closed: attach again.`;
        throw new TroupeError({ code: 'not-found', message: problem });
      }
      transport.onmessage?.(message as unknown as JSONRPCMessage);
      return null;
    },
  };
}

function openServer(supervisor: Supervisor, params: AttachParams) {
  return createMcpServer({
    supervisor: placeCommands(supervisor, params),
    owner: `${SHELL_OWNER}/${params.name}`,
    tools: parseToolSets(params.tools),
    // The daemon's directory is not the client's.
    policy: { workspace: params.cwd, ...(params.policy as PolicyOptions) },
    version: params.version,
    keepsProcesses: true,
  });
}

/**
 * Returns the supervisor as the client would have it: its directory, its environment without keys. A command outlives the daemon, too, unless the
 * client says otherwise or it has a terminal.
 */
function placeCommands(supervisor: Supervisor, { cwd, env }: AttachParams): Supervisor {
  const isRedacted = picomatch([...credentialNames], { bash: true, dot: true });
  return {
    ...supervisor,
    cwd,
    start: (spec) => {
      if ('run' in spec) return supervisor.start(spec);
      const { lifetime = spec.interactive === true ? 'session' : 'persistent' } = spec;
      const placed = { ...spec, cwd: resolve(cwd, spec.cwd ?? '.'), lifetime };
      return supervisor.start(toCommandSpec({ spec: placed, env, isRedacted }));
    },
  };
}

function createTransport(send: (message: JSONRPCMessage) => Promise<void>): Transport {
  let isClosed = false;
  const transport: Transport = {
    start: async () => {},
    send,
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      transport.onclose?.();
    },
  };
  return transport;
}

function nameTaken(name: string): TroupeError {
  const message = `A client named ${quote(name)} is attached already, and each end is delivered once: give this one a name of its own with --owner.`;
  return new TroupeError({ code: 'invalid-option', message });
}
