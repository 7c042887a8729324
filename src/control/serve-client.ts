import type { Socket } from 'node:net';
import { toErrorText } from '../config/error-text.ts';
import { TroupeError } from '../config/troupe-error.ts';
import { parseRequest } from './parse-request.ts';
import {
  type ControlFault,
  type ControlReply,
  type ControlRequest,
  createLineReader,
  MAX_REQUEST_BYTES,
  MAX_REQUESTS,
  PROTOCOL_VERSION,
  toLine,
} from './protocol.ts';

/** Unread bytes beyond which reading from the client and all streams pause. */
const HIGH_WATER_BYTES = 256 * 1024;

/** Unread bytes beyond which the client is disconnected, because it does not read its replies. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;

/** Time that a client has to read the last reply. */
const FAREWELL_MS = 1_000;

/** Executes one request. A thrown error is the answer. */
export type AnswerRequest = (request: ControlRequest, port: RequestPort) => unknown;

/** Channel of a request in progress, beside its answer. */
export interface RequestPort {
  /** Aborted when the request is cancelled or the client disconnects. */
  readonly signal: AbortSignal;
  /** Sends one item; resolves when there is room for the next. Rejects once `signal` is aborted. */
  send(item: unknown): Promise<void>;
}

/** Connected client. */
export interface ServedClient {
  /** Sends the answers that are ready and ends the connection. */
  close(): void;
}

/**
 * Serves one client. Malformed input, too many requests, unread replies and sudden disconnects affect only its own
 * connection: its memory is bounded, and nothing it causes is thrown.
 */
export function serveClient(
  socket: Socket,
  deps: { answer: AnswerRequest; scheduler: FairScheduler; onClosed: () => void },
): ServedClient {
  const { answer, scheduler } = deps;
  const reader = createLineReader(MAX_REQUEST_BYTES);
  const pending = new Map<number, AbortController>();
  let lines: Uint8Array[] = [];
  let next = 0;
  let isOver = false;

  const write = (reply: ControlReply): void => {
    if (socket.destroyed || socket.writableEnded) return;
    if (socket.writableLength > MAX_UNREAD_BYTES) socket.destroy();
    else socket.write(toReplyLine(reply));
  };

  const refuse = (id: number | null, error: unknown): void =>
    write({ v: PROTOCOL_VERSION, id, error: toFault(error) });

  /** Disconnects after malformed input: the start of the next request is unknown. */
  const hangUp = (error: unknown): void => {
    isOver = true;
    lines = [];
    refuse(null, error);
    leave();
  };

  const leave = (): void => {
    socket.end();
    flushAndClose(socket);
  };

  const execute = async (request: ControlRequest): Promise<void> => {
    const { id } = request;
    const abort = new AbortController();
    pending.set(id, abort);
    try {
      const result = await answer(request, {
        signal: abort.signal,
        send: (item) => sendItem({ id, item }, abort.signal),
      });
      if (!abort.signal.aborted) write({ v: PROTOCOL_VERSION, id, result: result ?? null });
    } catch (error) {
      if (!abort.signal.aborted) refuse(id, error);
    } finally {
      if (pending.get(id) === abort) pending.delete(id);
    }
  };

  const sendItem = async (frame: { id: number; item: unknown }, signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    write({ v: PROTOCOL_VERSION, ...frame });
    if (socket.writableLength > HIGH_WATER_BYTES) await untilDrained(socket, signal);
  };

  const take = (line: Uint8Array): void => {
    const parsed = parseRequest(line);
    if (parsed.type === 'malformed') return hangUp(parsed.error);
    if (parsed.type === 'refused') return refuse(parsed.id, parsed.error);
    const { request } = parsed;
    if (request.method === 'cancel') return cancel(request);
    if (pending.has(request.id)) return refuse(request.id, sameNumber(request.id));
    if (pending.size >= MAX_REQUESTS) return refuse(request.id, tooMany());
    void execute(request);
  };

  const cancel = ({ id, params }: ControlRequest): void => {
    const abort = pending.get((params as { request: number }).request);
    abort?.abort();
    write({ v: PROTOCOL_VERSION, id, result: abort !== undefined });
  };

  /** Handles one line; returns whether more can be handled now. */
  const serve = (): boolean => {
    const line = lines[next];
    next += 1;
    if (line !== undefined) take(line);
    if (next < lines.length && !isOver) return !isFull();
    lines = [];
    next = 0;
    if (!isOver && !isFull()) socket.resume();
    return false;
  };

  const isFull = () => socket.writableLength > HIGH_WATER_BYTES;

  socket.on('data', (chunk) => {
    if (isOver) return;
    const read = reader.push(chunk as Uint8Array);
    if (read === null) return hangUp(tooLong());
    if (read.length === 0) return;
    lines = [...read];
    next = 0;
    socket.pause();
    scheduler.join(serve);
  });
  socket.on('drain', () => {
    if (isOver) return;
    if (next < lines.length) scheduler.join(serve);
    else socket.resume();
  });
  // A `close` event follows every error.
  socket.on('error', () => {});
  socket.on('close', () => {
    isOver = true;
    scheduler.leave(serve);
    for (const abort of pending.values()) abort.abort();
    deps.onClosed();
  });

  return {
    close: () => {
      isOver = true;
      scheduler.leave(serve);
      // Pending requests only see the end of the connection; the client can ask another supervisor.
      leave();
    },
  };
}

/**
 * Ends a connection after its last reply. Discards further input: unread data would make the client lose that reply.
 */
export function flushAndClose(socket: Socket): void {
  socket.resume();
  setTimeout(() => socket.destroy(), FAREWELL_MS).unref();
}

/** Serializes a reply. A result that is not valid JSON is a bug here, and must not end the supervisor. */
function toReplyLine(reply: ControlReply): string {
  try {
    return toLine(reply);
  } catch (error) {
    return toLine({ v: PROTOCOL_VERSION, id: reply.id, error: toFault(error) });
  }
}

function toFault(error: unknown): ControlFault {
  if (error instanceof TroupeError) return { code: error.code, message: error.message };
  return {
    code: 'internal',
    message: `The supervisor failed to execute this request: ${toErrorText(error)}.`,
  };
}

function untilDrained(socket: Socket, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      socket.off('drain', onDrain);
      signal.removeEventListener('abort', onAbort);
    };
    const onDrain = () => {
      leave();
      resolve();
    };
    const onAbort = () => {
      leave();
      reject(signal.reason);
    };
    socket.on('drain', onDrain);
    signal.addEventListener('abort', onAbort);
  });
}

function sameNumber(id: number): TroupeError {
  const message = `Request ${id} is still under way: give each request a number of its own.`;
  return new TroupeError({ code: 'protocol', message });
}

function tooMany(): TroupeError {
  const message = `${MAX_REQUESTS} requests of this client are under way, and no more are taken: wait for an answer, or open another connection.`;
  return new TroupeError({ code: 'protocol', message });
}

function tooLong(): TroupeError {
  const message = `A line is longer than ${MAX_REQUEST_BYTES} bytes: write large input in several requests.`;
  return new TroupeError({ code: 'protocol', message });
}

/** Serves clients round robin, one request each, and yields to the event loop in between. */
interface FairScheduler {
  /** Calls `serve` soon, and again after all others while it returns that more is pending. */
  join(serve: () => boolean): void;
  leave(serve: () => boolean): void;
}

/** Time for which requests may hold the event loop; a single longer request is not interrupted. */
const BUDGET_MS = 2;

export function createFairScheduler(): FairScheduler {
  const waiting = new Set<() => boolean>();
  let isScheduled = false;

  const schedule = () => {
    // An unref'd immediate would wait for another event. The queue is bounded, so it does not delay the program's end.
    if (!isScheduled) setImmediate(run);
    isScheduled = true;
  };
  const run = () => {
    isScheduled = false;
    const untilMs = performance.now() + BUDGET_MS;
    for (const serve of waiting) {
      waiting.delete(serve);
      // Re-adding puts it behind all others in this iteration.
      if (serve()) waiting.add(serve);
      if (performance.now() > untilMs) break;
    }
    if (waiting.size > 0) schedule();
  };

  return {
    join: (serve) => {
      waiting.add(serve);
      schedule();
    },
    leave: (serve) => void waiting.delete(serve),
  };
}
