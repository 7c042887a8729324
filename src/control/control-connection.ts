import { lstatSync, type Stats } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { toErrorText } from '../config/error-text.ts';
import { formatDuration } from '../config/format-duration.ts';
import { TroupeError } from '../config/troupe-error.ts';
import {
  type CallOptions,
  type ControlReply,
  createLineReader,
  describeVersions,
  PROTOCOL_VERSION,
  toLine,
} from './protocol.ts';

/** Large enough for a list of ten thousand processes. */
const MAX_REPLY_BYTES = 256 * 1024 * 1024;

interface Waiting {
  resolve(result: unknown): void;
  reject(error: unknown): void;
  item(item: unknown): void;
}

/** Connection to a supervisor. */
export interface ControlConnection {
  ask(
    request: { readonly method: string; readonly params: unknown },
    options?: CallOptions,
    onItem?: (item: unknown) => void,
  ): Promise<unknown>;
  readonly pending: number;
  readonly isClosed: boolean;
  pause(): void;
  resume(): void;
  close(): void;
}

/**
 * @throws TroupeError `unreachable`, with what to do, when no process listens or the socket belongs to another user.
 */
export async function openConnection(socketPath: string): Promise<ControlConnection> {
  refuseForeignSocket(socketPath);
  const socket = await connectSocket(socketPath);
  const reader = createLineReader(MAX_REPLY_BYTES);
  const waiting = new Map<number, Waiting>();
  let nextId = 1;
  /** Set once the connection can no longer be used. */
  let failure: TroupeError | null = null;

  const fail = (error: TroupeError) => {
    failure ??= error;
    socket.destroy();
    const all = [...waiting.values()];
    waiting.clear();
    for (const { reject } of all) reject(failure);
  };
  const take = (line: Uint8Array) => {
    const reply = parseReply(line);
    if ('code' in reply) return fail(reply);
    // An error without a request id concerns the connection itself.
    if ('error' in reply && reply.id === null) return fail(new TroupeError(reply.error));
    const id = reply.id as number;
    const asked = waiting.get(id);
    if (asked === undefined) return;
    if ('item' in reply) return asked.item(reply.item);
    waiting.delete(id);
    if ('error' in reply) asked.reject(new TroupeError(reply.error));
    else asked.resolve(reply.result);
  };

  socket.on('data', (chunk) => {
    const lines = reader.push(chunk as Uint8Array);
    if (lines === null) return fail(noSupervisor('a reply is too long'));
    for (const line of lines) take(line);
  });
  socket.on('error', () => {});
  socket.on('close', () => fail(goneError(socketPath)));

  return {
    ask: ({ method, params }, { deadlineMs: within, signal } = {}, onItem = () => {}) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        if (failure !== null) return reject(failure);
        const id = nextId;
        nextId += 1;
        const leave = () => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', onAbort);
          waiting.delete(id);
        };
        const giveUp = (reason: unknown) => {
          leave();
          socket.write(
            toLine({ v: PROTOCOL_VERSION, id: nextId, method: 'cancel', params: { request: id } }),
          );
          nextId += 1;
          reject(reason);
        };
        const onAbort = () => giveUp(signal?.reason);
        const timer =
          within === undefined
            ? undefined
            : setTimeout(() => giveUp(silentError(socketPath, within)), within);
        signal?.addEventListener('abort', onAbort);
        waiting.set(id, {
          resolve: (result) => {
            leave();
            resolve(result);
          },
          reject: (error) => {
            leave();
            reject(error);
          },
          item: onItem,
        });
        socket.write(toLine({ v: PROTOCOL_VERSION, id, method, params }));
      }),
    get pending() {
      return waiting.size;
    },
    get isClosed() {
      return failure !== null;
    },
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    close: () => fail(closedError(socketPath)),
  };
}

/** Refuses a socket of another user before connecting: that user would receive the typed input. */
function refuseForeignSocket(socketPath: string): void {
  let stats: Stats;
  try {
    stats = lstatSync(socketPath);
  } catch (error) {
    throw unreachableError(socketPath, error as NodeJS.ErrnoException);
  }
  const { uid } = stats;
  if (!stats.isSocket()) throw noSupervisor(`${socketPath} is not a socket`);
  const own = process.getuid?.() ?? uid;
  if (uid === own) return;
  const message = `The control socket ${socketPath} belongs to user ${uid}, and you are user ${own}: run this command as that user.`;
  throw new TroupeError({ code: 'unreachable', message });
}

/** Connects without a deadline: the system answers at once for a local socket, even where the listener is halted. */
function connectSocket(socketPath: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(socketPath);
    const onError = (error: NodeJS.ErrnoException) => reject(unreachableError(socketPath, error));
    socket.once('error', onError);
    socket.once('connect', () => {
      socket.off('error', onError);
      resolve(socket);
    });
  });
}

function parseReply(line: Uint8Array): ControlReply | TroupeError {
  let reply: Partial<ControlReply> | null;
  try {
    reply = JSON.parse(Buffer.from(line.buffer, line.byteOffset, line.byteLength).toString());
  } catch {
    return noSupervisor('its reply is not valid JSON');
  }
  if (typeof reply !== 'object' || reply === null) return noSupervisor('its reply is not valid');
  const { v, id } = reply;
  if (v !== PROTOCOL_VERSION) {
    return new TroupeError({
      code: 'protocol',
      message: describeVersions({ theirs: v, ours: 'This program' }),
    });
  }
  return typeof id === 'number' || id === null
    ? (reply as ControlReply)
    : noSupervisor('its reply is not valid');
}

function noSupervisor(why: string): TroupeError {
  const message = `No supervisor of troupe listens on this control socket: ${why}.`;
  return new TroupeError({ code: 'protocol', message });
}

function unreachableError(socketPath: string, error: NodeJS.ErrnoException): TroupeError {
  const message = `The supervisor at ${socketPath} cannot be reached: ${explainFailure(error)}.`;
  return new TroupeError({ code: 'unreachable', message, cause: error });
}

function explainFailure(error: NodeJS.ErrnoException): string {
  const { code } = error;
  if (code === 'EACCES' || code === 'EPERM')
    return 'it belongs to another user, so run this command as that user';
  if (code === 'ENOENT' || code === 'ECONNREFUSED') return 'no process listens there any more';
  // The queue of connections that it has not accepted yet is full; see connect(2).
  if (code === 'EAGAIN') return 'it is busy or halted, and accepts no connection';
  return toErrorText(error);
}

function silentError(socketPath: string, deadlineMs: number): TroupeError {
  const message = `The supervisor at ${socketPath} did not answer within ${formatDuration(deadlineMs)}: it is busy or halted. The request may still be executed once it continues: check before you try again.`;
  return new TroupeError({ code: 'unreachable', message });
}

function goneError(socketPath: string): TroupeError {
  const message = `The supervisor at ${socketPath} ended the connection.`;
  return new TroupeError({ code: 'unreachable', message });
}

function closedError(socketPath: string): TroupeError {
  const message = `The connection to ${socketPath} was closed here.`;
  return new TroupeError({ code: 'unreachable', message });
}
