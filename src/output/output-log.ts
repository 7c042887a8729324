import type { Cancel, Clock } from '../clock/clock.ts';
import { TroupeError } from '../config/troupe-error.ts';
import { createChunkStore } from './chunk-store.ts';
import { looksBinary } from './decode.ts';
import { createLogFile, type OutputDegradation } from './log-file.ts';
import type { LogFileSystem } from './log-file-system.ts';
import { countNewlines } from './newline-count.ts';
import { type OutputChunk, type OutputPiece, outputStreams, type StreamPositions } from './output-chunk.ts';
import type { OutputSink, OutputStream } from './output-sink.ts';
import { createRedactor, type Redactor } from './redact.ts';

export interface OutputLogOptions {
  readonly clock: Clock;
  /** Kept in memory of each stream, at least 1024; as much again of what comes after the end. */
  readonly maxBufferBytes: number;
  /** How much of that is for the first bytes of a stream; at most half of it is. */
  readonly headBytes: number;
  readonly logFile?: { readonly path: string; readonly maxBytes: number; readonly files?: LogFileSystem };
  /** Never kept, written or shown: `[redacted]` stands in their place, and offsets count that. */
  readonly secrets?: readonly string[];
  /** Called once, when the log file fails for the first time. */
  readonly onDegraded?: (degradation: OutputDegradation) => void;
  /** What a listener threw; it is not called again. */
  readonly onListenerError?: (error: unknown) => void;
}

export interface OutputStats {
  /** All that arrived, of all streams. */
  readonly bytes: number;
  /** Newlines in all that arrived. */
  readonly lines: number;
  /** No longer in memory. */
  readonly droppedBytes: number;
  /** `nowMs` of the last byte, `null` when none has come. */
  readonly lastOutputAtMs: number | null;
  /** The file, once it is there and as long as nobody has removed it. */
  readonly logFile: string | null;
  readonly degraded: OutputDegradation | null;
  /** Whether some stream, by what is kept of it, is not text. */
  readonly binary: boolean;
}

/** Chunks from either end of what is kept: enough to tell, however much is kept. */
const binarySamples = 2;

/**
 * All output of one process, over all its restarts, in order of arrival. Memory is bounded whatever the process writes:
 * of each stream the head and the newest tail are kept, exactly `maxBufferBytes` together; the rest is counted.
 */
export interface OutputLog extends OutputSink {
  /** The offset of the next byte. */
  readonly bytes: number;
  readonly positions: StreamPositions;
  /** The process has ended: what comes now is labelled `afterEnd` and displaces nothing that came before. */
  markEnd(): void;
  /** The process runs again: labels go off, subscriptions stay open. */
  markRestart(): void;
  /** Everything that the process itself wrote is here: subscribers complete. Late output is still taken in. */
  finish(): void;
  /** Resolves when all that was written so far is in the log file, or given up. Bounded like `close`. */
  flush(): Promise<void>;
  /** Nothing more is taken in: subscribers complete, the log file is flushed and closed. Settles always. */
  close(): Promise<void>;
  /** `markEnd` was called for the current run. */
  readonly ended: boolean;
  /** `finish` or `close` was called for the current run. */
  readonly finished: boolean;
  stats(): OutputStats;
  /** The same as in `stats`. */
  readonly logFile: string | null;
  /**
   * What is kept from an offset, or from the positions of a reader, on; a gap stands for what is not. A gap is exact, but
   * from an offset in one stream where two were dropped it can be too long; positions are always exact.
   * To be walked at once: what arrives during the walk may or may not be in it.
   */
  chunks(from: number | StreamPositions, stream?: OutputStream): Iterable<OutputPiece>;
  /** What is kept from the newest chunk to the oldest. */
  chunksBackward(stream?: OutputStream): Iterable<OutputChunk>;
  positionsAt(offset: number): StreamPositions;
  /** Called after each write, at `finish` and at `close`; must be quick. */
  onWrite(listener: () => void): Cancel;
}

export function createOutputLog(options: OutputLogOptions): OutputLog {
  checkOptions(options);
  const { clock } = options;
  const store = createChunkStore(options);
  const file =
    options.logFile === undefined
      ? null
      : createLogFile({
          ...options.logFile,
          clock,
          ...(options.onDegraded === undefined ? {} : { onDegraded: options.onDegraded }),
        });
  const redactors = createRedactors(options.secrets ?? []);
  const listeners = new Set<() => void>();
  let lines = 0;
  let hasOutput = false;
  let lastWriteAtMs = clock.nowMs();
  let ended = false;
  let finished = false;
  let hasNotedLate = false;
  let closing: Promise<void> | null = null;

  function write(stream: OutputStream, bytes: Uint8Array): boolean {
    if (closing !== null || bytes.byteLength === 0) return true;
    lastWriteAtMs = clock.nowMs();
    hasOutput = true;
    const shown = redactors === null ? bytes : redactors[stream].push(bytes);
    return shown.byteLength === 0 || keep(stream, shown);
  }

  function keep(stream: OutputStream, bytes: Uint8Array): boolean {
    lines += countNewlines(bytes);
    store.append(stream, bytes, { atMs: lastWriteAtMs, afterEnd: ended });
    if (ended && !hasNotedLate) {
      file?.note('the process has ended; what follows was written by processes that it left behind');
      hasNotedLate = true;
    }
    const isWritable = file === null || file.write(bytes);
    if (listeners.size > 0) notify();
    return isWritable;
  }

  function notify(): void {
    for (const listener of listeners) {
      try {
        listener();
      } catch (error) {
        listeners.delete(listener);
        report(error);
      }
    }
  }

  function report(error: unknown): void {
    try {
      options.onListenerError?.(error);
    } catch {
      // Whoever is told about a broken listener and breaks as well has had his chance.
    }
  }

  function flushRedactors(): void {
    if (redactors === null) return;
    for (const stream of outputStreams) {
      const rest = redactors[stream].flush();
      if (rest.byteLength > 0) keep(stream, rest);
    }
  }

  function finish(): void {
    if (finished) return;
    finished = true;
    notify();
  }

  function close(): Promise<void> {
    if (closing !== null) return closing;
    flushRedactors();
    closing = file?.close() ?? Promise.resolve();
    finish();
    return closing;
  }

  function isBinary(stream: OutputStream): boolean {
    const zero = { stdout: 0, stderr: 0, screen: 0 };
    const oldest = [...take(store.forward(zero, [stream]), binarySamples)];
    const newest = [...take(store.backward([stream]), binarySamples)];
    return looksBinary(
      [...oldest, ...newest].flatMap((piece) => (piece.type === 'chunk' ? [piece.bytes] : [])),
    );
  }

  return {
    write,
    whenWritable(callback) {
      if (file === null) queueMicrotask(callback);
      else file.whenWritable(callback);
    },
    get lastWriteAtMs() {
      return lastWriteAtMs;
    },
    get bytes() {
      return store.bytes;
    },
    get positions() {
      return store.positions;
    },
    get ended() {
      return ended;
    },
    get finished() {
      return finished;
    },
    markEnd() {
      if (ended) return;
      flushRedactors();
      ended = true;
      hasNotedLate = false;
    },
    markRestart() {
      ended = false;
      finished = closing !== null;
    },
    get logFile() {
      return file?.path ?? null;
    },
    finish,
    flush: () => file?.flush() ?? Promise.resolve(),
    close,
    stats: () => ({
      bytes: store.bytes,
      lines,
      droppedBytes: store.droppedBytes,
      lastOutputAtMs: hasOutput ? lastWriteAtMs : null,
      logFile: file?.path ?? null,
      degraded: file?.degraded ?? null,
      // Samples the whole log: only for who asks.
      get binary() {
        return outputStreams.some(isBinary);
      },
    }),
    chunks: (from, stream) =>
      store.forward(typeof from === 'number' ? store.positionsAt(from) : from, streamsOf(stream)),
    chunksBackward: (stream) => store.backward(streamsOf(stream)),
    positionsAt: store.positionsAt,
    onWrite(listener) {
      const own = () => listener();
      listeners.add(own);
      return () => void listeners.delete(own);
    },
  };
}

function* take<Item>(items: Iterable<Item>, count: number): Generator<Item, void> {
  let left = count;
  for (const item of items) {
    yield item;
    left -= 1;
    if (left === 0) return;
  }
}

function streamsOf(stream: OutputStream | undefined): readonly OutputStream[] {
  return stream === undefined ? outputStreams : [stream];
}

function createRedactors(secrets: readonly string[]): Record<OutputStream, Redactor> | null {
  const stdout = createRedactor(secrets);
  const stderr = createRedactor(secrets);
  const screen = createRedactor(secrets);
  return stdout === null || stderr === null || screen === null ? null : { stdout, stderr, screen };
}

function checkOptions({ maxBufferBytes, headBytes, logFile }: OutputLogOptions): void {
  checkBytes('maxBufferBytes', maxBufferBytes, 1024);
  checkBytes('headBytes', headBytes, 0);
  if (logFile !== undefined) checkBytes('maxLogBytes', logFile.maxBytes, 1024);
}

function checkBytes(name: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  const message = `${name} must be a whole number of bytes, at least ${least}, got ${value}`;
  throw new TroupeError({ code: 'invalid-option', message });
}
