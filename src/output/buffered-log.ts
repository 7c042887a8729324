import type { Cancel, Clock } from '../clock/clock.ts';
import { notifyListeners } from './call-listeners.ts';
import { type ChunkStore, createChunkStore } from './chunk-store.ts';
import { looksBinary } from './decode.ts';
import { LogFile } from './log-file.ts';
import type { LogFileSystem } from './log-file-system.ts';
import { countNewlines } from './newline-count.ts';
import {
  type OutputChunk,
  type OutputPiece,
  outputStreams,
  type StreamPositions,
  takeFirst,
} from './output-chunk.ts';
import { type HeldPlace, type OutputHold, toStreams } from './output-holds.ts';
import { checkBytes, type OutputDegradation, type OutputLog, type OutputStats } from './output-log.ts';
import { OutputRetention } from './output-retention.ts';
import type { OutputStream } from './output-sink.ts';
import type { OutputTimes } from './output-times.ts';
import { createRedactor, type Redactor, redactText } from './redact.ts';
import { StreamRuns } from './stream-runs.ts';

export interface OutputLogOptions {
  readonly clock: Clock;
  /** Bytes kept in memory for each stream, at least 1024; output after the end gets the same amount again. */
  readonly maxBufferBytes: number;
  /** The part of it reserved for the first bytes of a stream, at most half. */
  readonly headBytes: number;
  readonly logFile?: { readonly path: string; readonly maxBytes: number; readonly files?: LogFileSystem };
  /**
   * Secrets that are never kept, written or shown: `[redacted]` replaces them, and offsets count the
   * replacement.
   */
  readonly secrets?: readonly string[];
  /** Called once, when the log file fails for the first time. */
  readonly onDegraded?: (degradation: OutputDegradation) => void;
  /** Receives what a listener threw; that listener is not called again. */
  readonly onListenerError?: (error: unknown) => void;
}

export function createOutputLog(options: OutputLogOptions): OutputLog {
  checkOptions(options);
  return new BufferedOutputLog(options);
}

/**
 * Keeps output in memory. A class because every process has one, even long after its end: 17 closures cost 3
 * KB.
 */
class BufferedOutputLog implements OutputLog {
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
  #isBackpressured = false;
  #lastWriteAtMs: number;
  #ended = false;
  #finished = false;
  #hasNotedLate = false;
  #closing: Promise<void> | null = null;
  #isEnding = false;
  /** Created for the first reader that loses nothing. */
  #retention: OutputRetention | null = null;

  constructor(options: OutputLogOptions) {
    const { clock, logFile, onDegraded } = options;
    this.#clock = clock;
    this.#store = createChunkStore(options);
    this.#file =
      logFile === undefined
        ? null
        : new LogFile({
            ...{ ...logFile, clock, onProgress: () => this.#retention?.update() },
            ...(onDegraded === undefined ? {} : { onDegraded }),
          });
    this.#secrets = options.secrets ?? noSecrets;
    this.#redactors = createRedactors(this.#secrets);
    this.#onListenerError = options.onListenerError;
    this.#lastWriteAtMs = clock.nowMs();
  }

  get lastWriteAtMs(): number {
    return this.#lastWriteAtMs;
  }

  get isBackpressured(): boolean {
    return this.#isBackpressured || this.#retention?.isWaiting === true;
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
    const whenStored = () => {
      if (this.#file === null) queueMicrotask(callback);
      else this.#file.whenWritable(callback);
    };
    if (this.#retention === null) whenStored();
    else this.#retention.whenFree(whenStored);
  }

  markEnd(held: 'flush' | 'keep' = 'flush'): void {
    if (this.#ended) return;
    if (held === 'flush') this.#flushRedactors();
    this.#ended = true;
    this.#hasNotedLate = false;
  }

  markRestart(): void {
    this.#ended = false;
    this.#isEnding = false;
    this.#retention?.setEnding(false);
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

  redact(text: string): string {
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
      // Computed on demand, since it samples the whole log.
      get binary() {
        return outputStreams.some(isBinary);
      },
    };
  }

  chunks(from: number | StreamPositions, stream?: OutputStream): Iterable<OutputPiece> {
    const positions = typeof from === 'number' ? this.#store.positionsAt(from) : from;
    return this.#store.forward(positions, toStreams(stream));
  }

  chunksBackward(stream?: OutputStream): Iterable<OutputChunk> {
    return this.#store.backward(toStreams(stream));
  }

  async readBack(
    positions: StreamPositions,
    { before, stream }: { readonly before: number; readonly stream?: OutputStream | undefined },
  ): Promise<OutputPiece | null> {
    const file = this.#file;
    const place = file === null ? null : this.#runs.find(positions, toStreams(stream));
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
    // The gap ends where memory has the output again.
    const [kept] = this.#store.forward(positions, [of]);
    const maxBytes = kept?.type === 'gap' ? kept.droppedBytes : 0;
    const droppedBytes = Math.min(found.missingTo - offset, place.length, maxBytes);
    if (droppedBytes === 0) return null;
    return { type: 'gap', stream: of, from: offset, to: offset + droppedBytes, position, droppedBytes };
  }

  positionsAt(offset: number): StreamPositions {
    return this.#store.positionsAt(offset);
  }

  hold(place: HeldPlace): OutputHold {
    if (this.#retention === null) {
      this.#retention = new OutputRetention({ store: this.#store, file: this.#file, runs: this.#runs });
      this.#retention.setEnding(this.#isEnding);
    }
    return this.#retention.hold(place);
  }

  expectEnd(): void {
    this.#isEnding = true;
    this.#retention?.setEnding(true);
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
      this.#file?.note(
        'the process has ended; the following output was written by processes that it left running',
      );
      this.#hasNotedLate = true;
    }
    const isWritable = this.#file === null || this.#file.write(bytes);
    if (!isWritable) this.#holdSource(this.#file);
    this.#retention?.update();
    this.#notify();
    return isWritable && this.#retention?.isWaiting !== true;
  }

  #holdSource(file: LogFile | null): void {
    this.#isBackpressured = true;
    file?.whenWritable(() => {
      this.#isBackpressured = false;
    });
  }

  #notify(): void {
    notifyListeners(this.#listeners, this.#onListenerError);
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
    const oldest = [...takeFirst(this.#store.forward(zero, [stream]), binarySamples)];
    const newest = [...takeFirst(this.#store.backward([stream]), binarySamples)];
    return looksBinary(
      [...oldest, ...newest].flatMap((piece) => (piece.type === 'chunk' ? [piece.bytes] : [])),
    );
  }
}

/** Bytes read from the file in one call. */
const readBackBytes = 256 * 1024;
/** Chunks sampled from either end, regardless of how much is kept. */
const binarySamples = 2;

/** Shared by many logs. */
const closed = Promise.resolve();
const noSecrets: readonly string[] = [];

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
