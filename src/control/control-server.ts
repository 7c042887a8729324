import { chmodSync, lstatSync, unlinkSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { credentialNames } from '../config/supervisor-options.ts';
import { TroupeError } from '../config/troupe-error.ts';
import type { Ask } from '../policy/authorize.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import { createRequestHandlers } from './answer-request.ts';
import type { AttachedClients } from './attached-clients.ts';
import { MAX_CLIENTS, PROTOCOL_VERSION, toLine } from './protocol.ts';
import { createFairScheduler, flushAndClose, ServedClient } from './served-client.ts';

/** Maximum number of refused clients that are being told why. */
const MAX_REFUSED = 32;

interface ControlServerOptions {
  /** Absolute path in a directory of this user; other users are denied access to it. */
  readonly socketPath: string;
  readonly role: 'program' | 'daemon';
  /** Globs for names of client variables that are not passed to processes. */
  readonly redactNames?: readonly string[] | undefined;
  /** Asks the person in front of this program on behalf of agents in other programs. Default: no person. */
  readonly ask?: Ask | null;
  /** Serves the Model Context Protocol to clients. Default: refused. */
  readonly attached?: AttachedClients | null;
  /** Called when a client asks a daemon to end. */
  readonly onShutdown?: () => void;
  /** Called with the number of connected clients whenever it changes. */
  readonly onClients?: (count: number) => void;
}

export interface ControlServer {
  readonly clientCount: number;
  /** Listens again at its path after the socket was removed; connections stay open. Rejects with the system's error. */
  reopen(): Promise<void>;
  /** Stops accepting clients and ends all connections; the socket is gone when it returns. */
  close(): void;
}

/**
 * Listens on a unix socket (mode 0600) for clients that see, read, write to and kill the processes of `supervisor`.
 * Never keeps the program alive, and no client can make it throw. Replaces a stale socket file.
 *
 * @throws TroupeError `state-directory` where another process listens there; the system's error where it cannot
 * listen.
 */
export async function serveControl(
  supervisor: Supervisor,
  options: ControlServerOptions,
): Promise<ControlServer> {
  const {
    socketPath,
    role,
    redactNames = credentialNames,
    onShutdown = () => {},
    onClients,
    ask = null,
    attached = null,
  } = options;
  restrictDirectory(dirname(socketPath));
  const answer = createRequestHandlers({ supervisor, role, redactNames, ask, attached, onShutdown });
  const clients = new Set<ServedClient>();
  const scheduler = createFairScheduler();
  let refusedCount = 0;

  const refuseClient = (socket: Socket) => {
    socket.on('error', () => {});
    // Each one holds a file descriptor until it has read the refusal.
    if (refusedCount >= MAX_REFUSED) return socket.destroy();
    refusedCount += 1;
    socket.once('close', () => {
      refusedCount -= 1;
    });
    socket.end(toLine(tooManyClients()));
    flushAndClose(socket);
  };

  const accept = (socket: Socket) => {
    socket.unref();
    if (clients.size >= MAX_CLIENTS) return refuseClient(socket);
    const client: ServedClient = new ServedClient(socket, {
      answer,
      scheduler,
      onClosed: () => {
        clients.delete(client);
        onClients?.(clients.size);
      },
    });
    clients.add(client);
    onClients?.(clients.size);
  };
  const open = async () => {
    const server = createServer(accept);
    await listenOnce(server, socketPath).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') throw error;
      if (await isListening(socketPath)) throw inUse(socketPath);
      unlinkSync(socketPath);
      await listenOnce(server, socketPath);
    });
    server.unref();
    // With too many open files a connection cannot be accepted; the client may retry.
    server.on('error', () => {});
    return server;
  };
  let server = await open();
  let isClosed = false;

  return {
    reopen: async () => {
      if (isClosed) return;
      // Must come first: it unlinks whatever is at its path.
      server.close();
      restrictDirectory(dirname(socketPath));
      server = await open();
      if (isClosed) server.close();
    },
    get clientCount() {
      return clients.size;
    },
    close: () => {
      isClosed = true;
      // Unlinks the socket.
      server.close();
      for (const client of clients) client.close();
    },
  };
}

/**
 * Restricts the directory to its owner. Node cannot identify a peer, so the directory is what keeps other users out.
 */
function restrictDirectory(directory: string): void {
  const { uid, mode } = lstatSync(directory);
  if (uid !== process.geteuid?.()) {
    const message = `${directory} belongs to user ${uid}, so no control socket is opened there: use another state directory, or take this one over with chown.`;
    throw new TroupeError({ code: 'state-directory', message });
  }
  if ((mode & 0o077) !== 0) chmodSync(directory, 0o700);
}

/**
 * Binds within the call, so the mode is set before any other code runs; until then the directory protects the socket.
 */
function listenOnce(server: Server, socketPath: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (error: Error) => {
      server.off('listening', onListening);
      reject(error);
    };
    const onListening = () => {
      server.off('error', onError);
      resolve();
    };
    server.once('error', onError);
    server.once('listening', onListening);
    server.listen({ path: socketPath });
    if (server.listening) chmodSync(socketPath, 0o600);
  });
}

function isListening(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    // Who may not look must not judge, either.
    socket.once('error', ({ code }: NodeJS.ErrnoException) =>
      resolve(code !== 'ECONNREFUSED' && code !== 'ENOENT'),
    );
  });
}

function inUse(socketPath: string): TroupeError {
  const message = `Another program already listens on ${socketPath}: end that program first.`;
  return new TroupeError({ code: 'state-directory', message });
}

function tooManyClients() {
  const message = `This supervisor serves ${MAX_CLIENTS} clients and accepts no more: close one, and try again.`;
  return { v: PROTOCOL_VERSION, id: null, error: { code: 'protocol', message } } as const;
}
