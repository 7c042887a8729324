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

/**
 * Connected client. Malformed input, too many requests, unread replies and sudden disconnects affect only its own
 * connection: its memory is bounded, and nothing it causes is thrown.
 */
export class ServedClient {
  readonly #socket: Socket;
  readonly #deps: { answer: AnswerRequest; scheduler: FairScheduler; onClosed: () => void };
  readonly #reader = createLineReader(MAX_REQUEST_BYTES);
  /** Requests in progress. */
  readonly #pending = new Map<number, AbortController>();
  /** Received lines, of which those before `#next` were taken. */
  #lines: readonly Uint8Array[] = [];
  #next = 0;
  #isOver = false;

  /** Serves the client from now on. */
  constructor(
    socket: Socket,
    deps: { answer: AnswerRequest; scheduler: FairScheduler; onClosed: () => void },
  ) {
    this.#socket = socket;
    this.#deps = deps;
    socket.on('data', (chunk) => this.#receive(chunk as Uint8Array));
    socket.on('drain', () => {
      if (this.#isOver) return;
      if (this.#next < this.#lines.length) deps.scheduler.join(this.#serve);
      else socket.resume();
    });
    // A `close` event follows every error.
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#stopServing();
      for (const abort of this.#pending.values()) abort.abort();
      deps.onClosed();
    });
  }

  /** Sends the answers that are ready and ends the connection. */
  close(): void {
    this.#stopServing();
    // Pending requests only see the end of the connection; the client can ask another supervisor.
    this.#leave();
  }

  #receive(chunk: Uint8Array): void {
    if (this.#isOver) return;
    const read = this.#reader.push(chunk);
    if (read === null) return this.#hangUp(tooLong());
    if (read.length === 0) return;
    this.#lines = [...read];
    this.#next = 0;
    this.#socket.pause();
    this.#deps.scheduler.join(this.#serve);
  }

  /** Handles one line; returns whether more can be handled now. */
  readonly #serve = (): boolean => {
    const line = this.#lines[this.#next];
    this.#next += 1;
    if (line !== undefined) this.#take(line);
    if (this.#next < this.#lines.length && !this.#isOver) return !this.#isFull;
    this.#lines = [];
    this.#next = 0;
    if (!this.#isOver && !this.#isFull) this.#socket.resume();
    return false;
  };

  #take(line: Uint8Array): void {
    const parsed = parseRequest(line);
    if (parsed.type === 'malformed') return this.#hangUp(parsed.error);
    if (parsed.type === 'refused') return this.#refuse(parsed.id, parsed.error);
    const { request } = parsed;
    if (request.method === 'cancel') return this.#cancel(request);
    if (this.#pending.has(request.id)) return this.#refuse(request.id, sameNumber(request.id));
    if (this.#pending.size >= MAX_REQUESTS) return this.#refuse(request.id, tooMany());
    void this.#execute(request);
  }

  #cancel({ id, params }: ControlRequest): void {
    const abort = this.#pending.get((params as { request: number }).request);
    abort?.abort();
    this.#write({ v: PROTOCOL_VERSION, id, result: abort !== undefined });
  }

  async #execute(request: ControlRequest): Promise<void> {
    const { id } = request;
    const abort = new AbortController();
    this.#pending.set(id, abort);
    try {
      const result = await this.#deps.answer(request, {
        signal: abort.signal,
        send: (item) => this.#sendItem({ id, item }, abort.signal),
      });
      if (!abort.signal.aborted) this.#write({ v: PROTOCOL_VERSION, id, result: result ?? null });
    } catch (error) {
      if (!abort.signal.aborted) this.#refuse(id, error);
    } finally {
      if (this.#pending.get(id) === abort) this.#pending.delete(id);
    }
  }

  async #sendItem(frame: { id: number; item: unknown }, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.#write({ v: PROTOCOL_VERSION, ...frame });
    if (this.#isFull) await untilDrained(this.#socket, signal);
  }

  #write(reply: ControlReply): void {
    const socket = this.#socket;
    if (socket.destroyed || socket.writableEnded) return;
    if (socket.writableLength > MAX_UNREAD_BYTES) socket.destroy();
    else socket.write(toReplyLine(reply));
  }

  #refuse(id: number | null, error: unknown): void {
    this.#write({ v: PROTOCOL_VERSION, id, error: toFault(error) });
  }

  /** Disconnects after malformed input: the start of the next request is unknown. */
  #hangUp(error: unknown): void {
    this.#isOver = true;
    this.#lines = [];
    this.#refuse(null, error);
    this.#leave();
  }

  #stopServing(): void {
    this.#isOver = true;
    this.#deps.scheduler.leave(this.#serve);
  }

  #leave(): void {
    this.#socket.end();
    flushAndClose(this.#socket);
  }

  get #isFull(): boolean {
    return this.#socket.writableLength > HIGH_WATER_BYTES;
  }
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
