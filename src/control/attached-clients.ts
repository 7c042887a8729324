import type { ControlParams, McpItem } from './protocol.ts';
import type { RequestPort } from './served-client.ts';

/** Serves the Model Context Protocol to clients of a control socket. */
export interface AttachedClients {
  /** Serves a client until its request is over. Sends a channel first, then the messages for the client. */
  serve(
    options: ControlParams<'mcp'>,
    port: Omit<RequestPort, 'send'> & { send(item: McpItem): Promise<void> },
  ): Promise<null>;
  /** Takes a message of a client. @throws TroupeError `not-found` for a channel that is closed. */
  receive(message: ControlParams<'mcpMessage'>): null;
}
