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

/** With more than this unread, nothing more is read from the client, and no stream goes on. */
const HIGH_WATER_BYTES = 256 * 1024;

/** With more than this unread the client is dropped: it asks and asks, and never listens. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;

/** What was said last has so long to be read. */
const FAREWELL_MS = 1_000;

/** Carries out one request. What it throws is the answer. */
export type AnswerRequest = (request: ControlRequest, port: RequestPort) => unknown;

/** What a request under way may do beside its answer. */
export interface RequestPort {
  /** Aborted when it is cancelled, or when the client is gone. */
  readonly signal: AbortSignal;
  /** Sends one item; resolves when there is room for the next one. Rejects once `signal` is aborted. */
  send(item: unknown): Promise<void>;
}

/** One client, for as long as its connection stands. */
export interface ServedClient {
  /** Answers what was asked, as far as it can be at once, and ends the connection. */
  close(): void;
}

/**
 * Serves one client. Whatever it does — sends rubbish, asks too much, reads nothing, goes away in the middle — stays between it and its
 * socket: memory for it is bounded, and nothing it causes is thrown.
 */
export function serveClient(
  socket: Socket,
  deps: { answer: AnswerRequest; scheduler: FairScheduler; onClosed: () => void },
): ServedClient {
  const { answer, scheduler } = deps;
  const reader = createLineReader(MAX_REQUEST_BYTES);
  const underWay = new Map<number, AbortController>();
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

  /** Where the next request begins cannot be known any more. */
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

  const carryOut = async (request: ControlRequest): Promise<void> => {
    const { id } = request;
    const abort = new AbortController();
    underWay.set(id, abort);
    try {
      const result = await answer(request, {
        signal: abort.signal,
        send: (item) => sendItem({ id, item }, abort.signal),
      });
      if (!abort.signal.aborted) write({ v: PROTOCOL_VERSION, id, result: result ?? null });
    } catch (error) {
      if (!abort.signal.aborted) refuse(id, error);
    } finally {
      if (underWay.get(id) === abort) underWay.delete(id);
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
    if (underWay.has(request.id)) return refuse(request.id, sameNumber(request.id));
    if (underWay.size >= MAX_REQUESTS) return refuse(request.id, tooMany());
    void carryOut(request);
  };

  const cancel = ({ id, params }: ControlRequest): void => {
    const abort = underWay.get((params as { request: number }).request);
    abort?.abort();
    write({ v: PROTOCOL_VERSION, id, result: abort !== undefined });
  };

  /** One line; whether there are more that can be taken now. */
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
  // What breaks is told by `close`, too.
  socket.on('error', () => {});
  socket.on('close', () => {
    isOver = true;
    scheduler.leave(serve);
    for (const abort of underWay.values()) abort.abort();
    deps.onClosed();
  });

  return {
    close: () => {
      isOver = true;
      scheduler.leave(serve);
      // What waits for an answer hears nothing more than the end: it can ask somebody else then.
      leave();
    },
  };
}

/**
 * Ends a connection on which the last word was said. What still comes is thrown away: were it left unread, the client would lose what
 * was said to it.
 */
export function flushAndClose(socket: Socket): void {
  socket.resume();
  setTimeout(() => socket.destroy(), FAREWELL_MS).unref();
}

/** A result that cannot be written as JSON is our mistake, and must not be the supervisor's end. */
function toReplyLine(reply: ControlReply): string {
  try {
    return toLine(reply);
  } catch (error) {
    return toLine({ v: PROTOCOL_VERSION, id: reply.id, error: toFault(error) });
  }
}

function toFault(error: unknown): ControlFault {
  if (error instanceof TroupeError) return { code: error.code, message: error.message };
  return { code: 'internal', message: `The supervisor failed over this request: ${toErrorText(error)}.` };
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

/** Serves many in scheduler, one request of each at a time, and lets the program do its own work in between. */
interface FairScheduler {
  /** `serve` is called soon, and again after all others as long as it answers that more is waiting. */
  join(serve: () => boolean): void;
  leave(serve: () => boolean): void;
}

/** So long requests may hold the event loop at a stretch; one that takes longer by itself is not interrupted. */
const BUDGET_MS = 2;

export function createFairScheduler(): FairScheduler {
  const waiting = new Set<() => boolean>();
  let isScheduled = false;

  const schedule = () => {
    // An unref'd one would wait until something else wakes the event loop. What is waiting is bounded, so the program's end is not held up.
    if (!isScheduled) setImmediate(run);
    isScheduled = true;
  };
  const run = () => {
    isScheduled = false;
    const untilMs = performance.now() + BUDGET_MS;
    for (const serve of waiting) {
      waiting.delete(serve);
      // Added again it stands behind all others, and this walk comes to it in time.
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
