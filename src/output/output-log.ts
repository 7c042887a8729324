import type { Cancel, Clock } from '../clock/clock.ts';
import { TroupeError } from '../config/troupe-error.ts';
import { callListeners } from './call-listeners.ts';
import { type ChunkStore, createChunkStore } from './chunk-store.ts';
import { looksBinary } from './decode.ts';
import type { DiskReading } from './disk-reading.ts';
import { createLogFile, type LogFile, type OutputDegradation } from './log-file.ts';
import type { LogFileSystem } from './log-file-system.ts';
import type { OutputTimes } from './log-times.ts';
import { countNewlines } from './newline-count.ts';
import { type OutputChunk, type OutputPiece, outputStreams, type StreamPositions } from './output-chunk.ts';
import type { OutputSink, OutputStream } from './output-sink.ts';
import { createRedactor, type Redactor } from './redact.ts';
import { redactText } from './redact-text.ts';
import { StreamRuns } from './stream-runs.ts';

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
  /** Newlines in all that arrived; `null` where not all of it was counted. */
  readonly lines: number | null;
  /** No longer in memory, or in a file where all of it is. */
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
  /**
   * The process has ended: what comes now is labelled `afterEnd` and displaces nothing that came before. An end that could be
   * the beginning of a secret is shown now, or with `keep`, when processes left behind may go on with it, once more comes or
   * at `close`.
   */
  markEnd(held?: 'flush' | 'keep'): void;
  /**
   * Hides one more from now on. What was written before stands in the file as it was, and is hidden in texts that are shown. A log that its
   * process writes itself covers it in all that is read of it, however old.
   */
  addSecret(secret: string): void;
  /** What is hidden. */
  readonly secrets: readonly string[];
  /** A text made of this output as it may be shown: taking out control characters can put a secret together again. */
  hide(text: string): string;
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
  /** What it holds in memory. */
  readonly keptBytes: number;
  /** `null` where all that is kept is in memory. */
  readonly onDisk: DiskReading | null;
  /** For a process that ended long ago: keeps the heads, and of the rest only the newest bytes of each stream. */
  shrink(tailBytes: number): void;
  /** The same as in `stats`. */
  readonly logFile: string | null;
  /** Bytes of the output that the log file does not have: given up at its cap, or lost by a fault. What is still to be written counts as there. */
  readonly missingInFile: number;
  /** When the output came, by its offsets. Of what is in memory alone nothing is known. */
  times(): OutputTimes;
  /**
   * What is kept from an offset, or from the positions of a reader, on; a gap stands for what is not. A gap is exact, but
   * from an offset in one stream where two were dropped it can be too long; positions are always exact.
   * To be walked at once: what arrives during the walk may or may not be in it. It stops early only where `onDisk` has trouble.
   */
  chunks(from: number | StreamPositions, stream?: OutputStream): Iterable<OutputPiece>;
  /** What is kept from the newest chunk to the oldest. */
  chunksBackward(stream?: OutputStream): Iterable<OutputChunk>;
  /**
   * Of an output kept in memory: reads from its log file what comes next at these positions and before the offset `before`, the earliest of
   * the streams. A gap where the file has one. `null` where there is nothing, or the file cannot tell its stream.
   */
  readBack(
    positions: StreamPositions,
    options: { readonly before: number; readonly stream?: OutputStream | undefined },
  ): Promise<OutputPiece | null>;
  positionsAt(offset: number): StreamPositions;
  /** Called after each write, at `finish` and at `close`; must be quick. */
  onWrite(listener: () => void): Cancel;
}

export function createOutputLog(options: OutputLogOptions): OutputLog {
  checkOptions(options);
  return new KeptOutput(options);
}

/** A class, because every process that is kept has one, also long after its end: 17 methods of its own cost 3 KB. */
class KeptOutput implements OutputLog {
  readonly #clock: Clock;
  readonly #store: ChunkStore;
  readonly #file: LogFile | null;
  readonly #runs = new StreamRuns();
  #redactors: Record<OutputStream, Redactor> | null;
  #secrets: readonly string[];
  readonly #onListenerError: OutputLogOptions['onListenerError'];
  #listeners: Set<() => void> | null = null;
  #lines = 0;
  #hasOutput = false;
  #isHeld = false;
  #lastWriteAtMs: number;
  #ended = false;
  #finished = false;
  #hasNotedLate = false;
  #closing: Promise<void> | null = null;

  constructor(options: OutputLogOptions) {
    const { clock, logFile, onDegraded } = options;
    this.#clock = clock;
    this.#store = createChunkStore(options);
    this.#file =
      logFile === undefined
        ? null
        : createLogFile({ ...logFile, clock, ...(onDegraded === undefined ? {} : { onDegraded }) });
    this.#secrets = options.secrets ?? noSecrets;
    this.#redactors = createRedactors(this.#secrets);
    this.#onListenerError = options.onListenerError;
    this.#lastWriteAtMs = clock.nowMs();
  }

  get lastWriteAtMs(): number {
    return this.#lastWriteAtMs;
  }

  get isHeld(): boolean {
    return this.#isHeld;
  }

  get bytes(): number {
    return this.#store.bytes;
  }

  get keptBytes(): number {
    return this.#store.keptBytes;
  }

  get onDisk(): null {
    return null;
  }

  get positions(): StreamPositions {
    return this.#store.positions;
  }

  get ended(): boolean {
    return this.#ended;
  }

  get finished(): boolean {
    return this.#finished;
  }

  get logFile(): string | null {
    return this.#file?.path ?? null;
  }

  get missingInFile(): number {
    return this.#file?.missingBytes ?? this.bytes;
  }

  times(): OutputTimes {
    return this.#file?.times() ?? { marks: [], lastAt: null };
  }

  write(stream: OutputStream, bytes: Uint8Array): boolean {
    if (this.#closing !== null || bytes.byteLength === 0) return true;
    this.#lastWriteAtMs = this.#clock.nowMs();
    this.#hasOutput = true;
    const shown = this.#redactors === null ? bytes : this.#redactors[stream].push(bytes);
    return shown.byteLength === 0 || this.#keep(stream, shown);
  }

  whenWritable(callback: () => void): void {
    if (this.#file === null) queueMicrotask(callback);
    else this.#file.whenWritable(callback);
  }

  markEnd(held: 'flush' | 'keep' = 'flush'): void {
    if (this.#ended) return;
    if (held === 'flush') this.#flushRedactors();
    this.#ended = true;
    this.#hasNotedLate = false;
  }

  markRestart(): void {
    this.#ended = false;
    this.#finished = this.#closing !== null;
  }

  finish(): void {
    if (this.#finished) return;
    this.#finished = true;
    this.#notify();
  }

  addSecret(secret: string): void {
    if (this.#secrets.includes(secret)) return;
    this.#secrets = [...this.#secrets, secret];
    if (this.#redactors === null) this.#redactors = createRedactors(this.#secrets);
    else for (const stream of outputStreams) this.#redactors[stream].add(secret);
  }

  get secrets(): readonly string[] {
    return this.#secrets;
  }

  hide(text: string): string {
    return redactText(text, this.#secrets);
  }

  flush(): Promise<void> {
    return this.#file?.flush() ?? Promise.resolve();
  }

  close(): Promise<void> {
    if (this.#closing !== null) return this.#closing;
    this.#flushRedactors();
    this.#closing = this.#file?.close() ?? closed;
    this.finish();
    return this.#closing;
  }

  shrink(tailBytes: number): void {
    this.#store.shrink(tailBytes);
  }

  stats(): OutputStats {
    const isBinary = (stream: OutputStream) => this.#isBinary(stream);
    return {
      bytes: this.#store.bytes,
      lines: this.#lines,
      droppedBytes: this.#store.droppedBytes,
      lastOutputAtMs: this.#hasOutput ? this.#lastWriteAtMs : null,
      logFile: this.logFile,
      degraded: this.#file?.degraded ?? null,
      // Samples the whole log: only for who asks.
      get binary() {
        return outputStreams.some(isBinary);
      },
    };
  }

  chunks(from: number | StreamPositions, stream?: OutputStream): Iterable<OutputPiece> {
    const positions = typeof from === 'number' ? this.#store.positionsAt(from) : from;
    return this.#store.forward(positions, streamsOf(stream));
  }

  chunksBackward(stream?: OutputStream): Iterable<OutputChunk> {
    return this.#store.backward(streamsOf(stream));
  }

  async readBack(
    positions: StreamPositions,
    { before, stream }: { readonly before: number; readonly stream?: OutputStream | undefined },
  ): Promise<OutputPiece | null> {
    const file = this.#file;
    const place = file === null ? null : this.#runs.find(positions, streamsOf(stream));
    if (file === null || place === null || place.offset >= before) return null;
    const length = Math.min(place.length, readBackBytes, before - place.offset);
    let found = await file.read(place.offset, length);
    if (found === null) {
      await file.flush();
      found = await file.read(place.offset, length);
    }
    if (found === null) return null;
    const { stream: of, offset, position, atMs, afterEnd } = place;
    if (!('missingTo' in found))
      return { type: 'chunk', stream: of, offset, position, bytes: found, atMs, afterEnd };
    // Up to where memory has it again.
    const [kept] = this.#store.forward(positions, [of]);
    const mostBytes = kept?.type === 'gap' ? kept.droppedBytes : 0;
    const droppedBytes = Math.min(found.missingTo - offset, place.length, mostBytes);
    if (droppedBytes === 0) return null;
    return { type: 'gap', stream: of, from: offset, to: offset + droppedBytes, position, droppedBytes };
  }

  positionsAt(offset: number): StreamPositions {
    return this.#store.positionsAt(offset);
  }

  onWrite(listener: () => void): Cancel {
    const own = () => listener();
    this.#listeners ??= new Set();
    this.#listeners.add(own);
    return () => void this.#listeners?.delete(own);
  }

  #keep(stream: OutputStream, bytes: Uint8Array): boolean {
    this.#lines += countNewlines(bytes);
    if (this.#file !== null) {
      const { bytes: offset, positions } = this.#store;
      const run = {
        stream,
        afterEnd: this.#ended,
        offset,
        position: positions[stream],
        atMs: this.#lastWriteAtMs,
      };
      this.#runs.add(run, bytes.byteLength);
    }
    this.#store.append(stream, bytes, { atMs: this.#lastWriteAtMs, afterEnd: this.#ended });
    if (this.#ended && !this.#hasNotedLate) {
      this.#file?.note('the process has ended; what follows was written by processes that it left behind');
      this.#hasNotedLate = true;
    }
    const isWritable = this.#file === null || this.#file.write(bytes);
    if (!isWritable) this.#hold(this.#file);
    this.#notify();
    return isWritable;
  }

  #hold(file: LogFile | null): void {
    this.#isHeld = true;
    file?.whenWritable(() => {
      this.#isHeld = false;
    });
  }

  #notify(): void {
    callListeners(this.#listeners, this.#onListenerError);
  }

  #flushRedactors(): void {
    if (this.#redactors === null) return;
    for (const stream of outputStreams) {
      const rest = this.#redactors[stream].flush();
      if (rest.byteLength > 0) this.#keep(stream, rest);
    }
  }

  #isBinary(stream: OutputStream): boolean {
    const zero = { stdout: 0, stderr: 0, screen: 0 };
    const oldest = [...take(this.#store.forward(zero, [stream]), binarySamples)];
    const newest = [...take(this.#store.backward([stream]), binarySamples)];
    return looksBinary(
      [...oldest, ...newest].flatMap((piece) => (piece.type === 'chunk' ? [piece.bytes] : [])),
    );
  }
}

/** Read from the file at once. */
const readBackBytes = 256 * 1024;

/** One for all that have no file. */
const closed = Promise.resolve();
const noSecrets: readonly string[] = [];

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
  const screen = createRedactor(secrets, 'drawn');
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
