import { chmodSync, lstatSync, unlinkSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { credentialNames } from '../config/supervisor-options.ts';
import { TroupeError } from '../config/troupe-error.ts';
import type { Ask } from '../policy/authorize.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import { createRequestHandlers } from './answer-request.ts';
import { MAX_CLIENTS, PROTOCOL_VERSION, toLine } from './protocol.ts';
import { createFairScheduler, flushAndClose, type ServedClient, serveClient } from './serve-client.ts';

/** So many clients at a time are told why they cannot stay. */
const MAX_LEAVING = 32;

interface ControlServerOptions {
  /** Absolute, in a directory of this user; others are shut out of it. */
  readonly socketPath: string;
  readonly role: 'program' | 'daemon';
  /** Names of a client's variables that no process gets; globs. */
  readonly redactNames?: readonly string[] | undefined;
  /** Asks the person in front of this program, for agents in other programs. Default: there is none. */
  readonly ask?: Ask | null;
  /** A client asked a daemon to end. */
  readonly onShutdown?: () => void;
  /** So many clients are connected now. */
  readonly onClients?: (count: number) => void;
}

export interface ControlServer {
  readonly clientCount: number;
  /** Listens again at its path, whose socket was removed; connections stay. Rejects with what the system says. */
  reopen(): Promise<void>;
  /** Nobody is let in any more, connections end, and the socket is gone when it returns. */
  close(): void;
}

/**
 * Listens on a unix socket, 0600, for whoever may see, read, write to and kill the processes of `supervisor`. It never keeps the program
 * alive, and no client can make it throw. A socket file that nobody listens on is replaced.
 *
 * @throws TroupeError `state-directory` where somebody else listens there; what the system says where it cannot listen.
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
  } = options;
  shutOthersOut(dirname(socketPath));
  const answer = createRequestHandlers({ supervisor, role, redactNames, ask, onShutdown });
  const clients = new Set<ServedClient>();
  const scheduler = createFairScheduler();
  let leaving = 0;

  const sendAway = (socket: Socket) => {
    socket.on('error', () => {});
    // Each takes a file descriptor for as long as it listens to us.
    if (leaving >= MAX_LEAVING) return socket.destroy();
    leaving += 1;
    socket.once('close', () => {
      leaving -= 1;
    });
    socket.end(toLine(tooManyClients()));
    flushAndClose(socket);
  };

  const welcome = (socket: Socket) => {
    socket.unref();
    if (clients.size >= MAX_CLIENTS) return sendAway(socket);
    const client: ServedClient = serveClient(socket, {
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
    const server = createServer(welcome);
    await listenOnce(server, socketPath).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') throw error;
      if (await isListening(socketPath)) throw inUse(socketPath);
      unlinkSync(socketPath);
      await listenOnce(server, socketPath);
    });
    server.unref();
    // With too many open files a connection cannot be taken: that is the client's bad luck, and it may try again.
    server.on('error', () => {});
    return server;
  };
  let server = await open();
  let isClosed = false;

  return {
    reopen: async () => {
      if (isClosed) return;
      // First, as this unlinks what has its path.
      server.close();
      shutOthersOut(dirname(socketPath));
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

/** Node cannot say who has connected: what keeps others from the socket is that they cannot enter its directory. */
function shutOthersOut(directory: string): void {
  const { uid, mode } = lstatSync(directory);
  if (uid !== process.geteuid?.()) {
    const message = `${directory} belongs to user ${uid}, so no control socket is opened there: use another state directory, or take this one over with chown.`;
    throw new TroupeError({ code: 'state-directory', message });
  }
  if ((mode & 0o077) !== 0) chmodSync(directory, 0o700);
}

/** Node binds within the call, so that the mode is set before anybody else had a turn; before that the directory keeps others out. */
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
  const message = `Somebody listens on ${socketPath} already: end that program first.`;
  return new TroupeError({ code: 'state-directory', message });
}

function tooManyClients() {
  const message = `This supervisor serves ${MAX_CLIENTS} clients and takes no more: close one, and try again.`;
  return { v: PROTOCOL_VERSION, id: null, error: { code: 'protocol', message } } as const;
}
