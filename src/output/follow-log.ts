import type { Cancel } from '../clock/clock.ts';
import { type OutputGap, type OutputPiece, positionAfter, type StreamPositions } from './output-chunk.ts';
import { toStreams } from './output-holds.ts';
import type { OutputLog } from './output-log.ts';
import type { OutputStream } from './output-sink.ts';

/** Bytes processed per turn of the event loop: some 2 ms, or 20 ms where every line is examined. */
export const maxBytesPerTurn = 1024 * 1024;
/** Consecutive failures after which a finished log gives up the rest as a gap: five seconds. */
const maxFinalReadFailures = 20;

/** Decides about output of a log on disk that cannot be read: it is tried again, and in the end given up. */
export class ReadFailures {
  readonly #log: OutputLog;
  #count = 0;

  constructor(log: OutputLog) {
    this.#log = log;
  }

  /** To be called when a read has succeeded. */
  reset(): void {
    this.#count = 0;
  }

  /** Returns the gap to give up, if no more output comes; `null` if no read has failed. */
  judge({
    from,
    to = this.#log.positions,
    stream,
    isFinal,
  }: {
    readonly from: StreamPositions;
    readonly to?: StreamPositions;
    readonly stream?: OutputStream | undefined;
    readonly isFinal: boolean;
  }): OutputGap | 'retry' | null {
    const { onDisk } = this.#log;
    if (onDisk === null || onDisk.readError === null || (stream ?? onDisk.stream) !== onDisk.stream)
      return null;
    const [position, end] = [from[onDisk.stream], to[onDisk.stream]];
    if (position >= end) return null;
    this.#count += 1;
    if (!isFinal || this.#count < maxFinalReadFailures) return 'retry';
    const droppedBytes = end - position;
    return { type: 'gap', stream: onDisk.stream, from: position, to: end, position, droppedBytes };
  }
}

/**
 * Delivers the output from `from` on, then new output, each byte once and in order: at once from memory, 1
 * MiB per turn of the event loop from a file. Retries failed reads. Ends when the log is finished or the
 * follower is cancelled.
 */
export function followLog(
  log: OutputLog,
  follower: {
    readonly from: StreamPositions;
    readonly stream?: OutputStream | undefined;
    onPiece(piece: OutputPiece): void;
    onFinished?(): void;
    /** Allows a follower to leave before it has received the cancel function. */
    isCancelled?(): boolean;
  },
): Cancel {
  const positions = { ...follower.from };
  let isOver = false;
  let isWalking = false;
  let cancelPause: Cancel | null = null;
  const failures = new ReadFailures(log);

  /** Skips nested calls: output that a follower causes is delivered in order by the running walk. */
  function walk(): void {
    if (isOver || isWalking || cancelPause !== null) return;
    isWalking = true;
    try {
      walkOn();
    } finally {
      isWalking = false;
    }
  }

  function walkOn(): void {
    let room = log.onDisk === null ? Number.POSITIVE_INFINITY : maxBytesPerTurn;
    let { finished } = log;
    for (let hasMore = true; hasMore; ) {
      hasMore = false;
      for (const piece of log.chunks(positions, follower.stream)) {
        hasMore = true;
        failures.reset();
        deliver(piece);
        if (isOver) return;
        room -= piece.type === 'chunk' ? piece.bytes.byteLength : 0;
        if (room <= 0) return pause(nextTurn);
      }
      hasMore ||= finished !== log.finished;
      ({ finished } = log);
    }
    const unread = failures.judge({ from: positions, stream: follower.stream, isFinal: finished });
    if (unread === 'retry') return pause((go) => log.retryLater(go));
    if (unread !== null) deliver(unread);
    if (finished && !isOver) end();
  }

  function deliver(piece: OutputPiece): void {
    positions[piece.stream] = positionAfter(piece);
    follower.onPiece(piece);
    if (follower.isCancelled?.() === true) isOver = true;
  }

  function pause(until: (go: () => void) => Cancel): void {
    cancelPause = until(() => {
      cancelPause = null;
      walk();
    });
  }

  function end(): void {
    cancel();
    follower.onFinished?.();
  }

  function cancel(): void {
    isOver = true;
    cancelPause?.();
    cancelWrites();
  }

  const cancelWrites = log.onWrite(walk);
  walk();
  return cancel;
}

/** Calls back in the next turn of the event loop. */
export function nextTurn(callback: () => void): Cancel {
  const immediate = setImmediate(callback);
  return () => clearImmediate(immediate);
}

/** Options of an iteration over output. */
export interface IterationOptions {
  /** The offset, in bytes of all streams, at which the iteration begins. Default 0. */
  readonly from?: number | undefined;
  /** Iterates over this stream only. Default: all, in order of arrival. */
  readonly stream?: OutputStream | undefined;
  /** Ends the iteration when aborted; the process continues. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Yields the output from an offset (default 0) on, then new output, until the log is finished or `signal`
 * aborts; the caller sets the pace. Nothing is queued: output dropped from memory meanwhile is read from the
 * log file, and an exact gap stands for output that the file does not have either.
 */
export async function* iterateLog(
  log: OutputLog,
  options: IterationOptions = {},
): AsyncGenerator<OutputPiece, void> {
  const { signal } = options;
  const streams = toStreams(options.stream);
  const positions = { ...log.positionsAt(options.from ?? 0) };
  let room = maxBytesPerTurn;
  const failures = new ReadFailures(log);
  while (signal?.aborted !== true) {
    const { finished } = log;
    // Looked up again for each piece: memory may drop output while the consumer is busy.
    const [kept] = log.chunks(positions, options.stream);
    const piece = kept === undefined ? undefined : await orFromFile(kept, log, { positions, ...options });
    if (piece !== undefined) {
      failures.reset();
      positions[piece.stream] = positionAfter(piece);
      yield piece;
      if (log.onDisk === null) continue;
      // A consumer that never waits would starve the event loop.
      room -= piece.type === 'chunk' ? piece.bytes.byteLength : 0;
      if (room > 0) continue;
      room = maxBytesPerTurn;
      await until(nextTurn, signal);
      continue;
    }
    const unread = failures.judge({ from: positions, stream: options.stream, isFinal: finished });
    if (unread === 'retry') await until((go) => log.retryLater(go), signal);
    else if (unread !== null) {
      positions[unread.stream] = positionAfter(unread);
      yield unread;
    } else if (streams.some((stream) => positions[stream] < log.positions[stream])) {
      // New output arrived since the look at the log.
      await until(nextTurn, signal);
    } else if (finished) return;
    else if (!log.finished) await until((go) => log.onWrite(go), signal);
  }
}

/** Returns the piece, or earlier output that is only in the log file. */
async function orFromFile(
  piece: OutputPiece,
  log: OutputLog,
  { positions, stream }: { positions: StreamPositions; stream?: OutputStream | undefined },
): Promise<OutputPiece> {
  if (log.keptBytes === log.bytes) return piece;
  const before = piece.type === 'gap' ? Number.POSITIVE_INFINITY : piece.offset;
  return (await log.readBack(positions, { before, stream })) ?? piece;
}

function until(wait: (go: () => void) => Cancel, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const leave = () => {
      cancel();
      signal?.removeEventListener('abort', leave);
      resolve();
    };
    const cancel = wait(leave);
    signal?.addEventListener('abort', leave);
  });
}
