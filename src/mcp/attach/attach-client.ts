import type { Readable, Writable } from 'node:stream';
import { isJSONRPCRequest, type JSONRPCMessage } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { toErrorText } from '../../config/error-text.ts';
import { type ControlConnection, openConnection } from '../../control/control-connection.ts';
import { ownEnvironment } from '../../control/ensure-daemon.ts';
import { type ControlParams, MAX_REQUEST_BYTES, type McpItem } from '../../control/protocol.ts';

/** Room for what surrounds a message in a request. */
const FRAME_BYTES = 1_024;

/** Options of `attachClient`. */
export interface AttachOptions extends Omit<ControlParams<'mcp'>, 'env'> {
  /** Path of the daemon's control socket. */
  readonly socket: string;
  /** The input of the protocol. */
  readonly stdin: Readable;
  /** The output of the protocol. */
  readonly stdout: Writable;
  /** Receives one line for a person. */
  readonly log: (line: string) => void;
  /** Detaches when aborted. */
  readonly signal: AbortSignal;
}

/**
 * Passes messages between a client on stdio and the daemon until either ends. No process ends with it. Resolves with the exit code: 0, or
 * 1 where the daemon has ended or refused.
 *
 * @throws TroupeError `unreachable`
 */
export async function attachClient(options: AttachOptions): Promise<number> {
  const { socket, stdin, stdout, log, signal, ...params } = options;
  const connection = await openConnection(socket);
  const transport = new StdioServerTransport(stdin, stdout);
  const leaving = new AbortController();
  const leave = () => leaving.abort();
  signal.addEventListener('abort', leave);
  stdin.once('end', leave).once('close', leave);
  transport.onclose = leave;
  if (signal.aborted) leave();
  try {
    await connection.ask(
      { method: 'mcp', params: { ...params, env: ownEnvironment() } },
      { signal: leaving.signal },
      (item) => {
        const news = item as McpItem;
        if ('message' in news) transport.send(news.message as unknown as JSONRPCMessage).catch(leave);
        else listen(transport, { connection, channel: news.channel, onError: leave });
      },
    );
    return 0;
  } catch (error) {
    if (leaving.signal.aborted) return 0;
    log(toErrorText(error));
    return 1;
  } finally {
    signal.removeEventListener('abort', leave);
    connection.close();
    await transport.close();
  }
}

/** Sends the client's messages to the daemon, one after the other. */
function listen(
  transport: StdioServerTransport,
  { connection, channel, onError }: { connection: ControlConnection; channel: string; onError: () => void },
): void {
  let sent: Promise<unknown> = Promise.resolve();
  transport.onmessage = (message) => {
    if (Buffer.byteLength(JSON.stringify(message)) > MAX_REQUEST_BYTES - FRAME_BYTES) {
      void transport.send(tooLong(message)).catch(onError);
      return;
    }
    sent = sent
      .then(() => connection.ask({ method: 'mcpMessage', params: { channel, message } }))
      .catch(onError);
  };
  void transport.start();
}

function tooLong(message: JSONRPCMessage): JSONRPCMessage {
  const problem = `The message is longer than ${MAX_REQUEST_BYTES - FRAME_BYTES} bytes, which is the limit with --attach: send it in parts.`;
  return {
    jsonrpc: '2.0',
    ...(isJSONRPCRequest(message) && { id: message.id }),
    error: { code: -32_600, message: problem },
  };
}
