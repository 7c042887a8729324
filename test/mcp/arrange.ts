import { Client, type ClientOptions, InMemoryTransport } from '@modelcontextprotocol/client';
import { createMcpServer, type McpServerOptions } from '../../src/mcp/create-mcp-server.ts';
import type { Script } from '../../src/testing/index.ts';
import { createVirtualHarness, type VirtualOptions } from '../support/virtual.ts';

export const eras = ['legacy', 'modern'] as const;
export type Era = (typeof eras)[number];

/** How a client asks for an era of the protocol. */
export function speaking(era: Era): ClientOptions {
  return { versionNegotiation: { mode: era === 'legacy' ? 'legacy' : { pin: '2026-07-28' } } };
}

export interface StageOptions extends Partial<Omit<McpServerOptions, 'supervisor'>> {
  readonly era?: Era;
  readonly script?: Script;
  /** Whether interactive processes get a terminal. Default false. */
  readonly terminal?: boolean;
  readonly settings?: VirtualOptions;
  /** Default: one whose processes are played by hand. */
  readonly supervisor?: McpServerOptions['supervisor'];
  readonly capabilities?: NonNullable<ClientOptions['capabilities']>;
  /** Before the client connects. */
  readonly prepare?: (client: Client) => void;
}

/** A client and a server in one program; the processes are played by hand, and their time stands still. */
export async function arrange(options: StageOptions = {}) {
  const { era = 'legacy', script, terminal = false, settings, capabilities = {}, prepare, ...rest } = options;
  const rig = createVirtualHarness({
    hasTerminal: terminal,
    ...(script !== undefined && { script }),
    ...settings,
  });
  const { clock, backend, supervisor } = rig;
  const errors: Error[] = [];
  const server = createMcpServer({
    owner: 'agent',
    timing: { quiet: 5, growth: 10 },
    onError: (error) => errors.push(error),
    supervisor,
    ...rest,
  });
  const [near, far] = InMemoryTransport.createLinkedPair();
  const served = server.serve(far);
  const client = new Client({ name: 'test', version: '1' }, { ...speaking(era), capabilities });
  prepare?.(client);
  await client.connect(near);
  return {
    client,
    server,
    supervisor,
    backend,
    clock,
    errors,
    /** Resolves when the connection has ended on the server's side. */
    served,
    start: (command: string, owner = 'agent') => supervisor.start({ command, owner, background: true }),
    [Symbol.asyncDispose]: async () => {
      await client.close();
      await server.close();
      await rig[Symbol.asyncDispose]();
    },
  };
}

/** The answer of a call as data. */
export function dataOf(result: { readonly structuredContent?: unknown }): Record<string, unknown> {
  return result.structuredContent as Record<string, unknown>;
}
