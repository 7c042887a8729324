import type { Cancel, Clock } from '../clock/clock.ts';
import { looksBinary } from './decode.ts';
import {
  type OutputChunk,
  type OutputPiece,
  outputStreams,
  type StreamPositions,
  takeFirst,
} from './output-chunk.ts';
import { type HeldPlace, type OutputHold, toStreams } from './output-holds.ts';
import type { OutputSink, OutputStream } from './output-sink.ts';
import type { DiskAccess, OutputDegradation, OutputStore, StoreStats } from './output-store.ts';
import type { OutputTimes } from './output-times.ts';
import { createStreamRedactors, redactText, type StreamRedactors, withoutFiller } from './redact.ts';

/** Formats a degradation for views. */
export function toDegradedText({ what, error }: OutputDegradation): string {
  return `${what}: ${error}`;
}

export interface OutputStats extends StoreStats {
  /** `nowMs` of the last byte, `null` if none has arrived. */
  readonly lastOutputAtMs: number | null;
  /** True if the kept part of a stream is not text. */
  readonly binary: boolean;
}

interface OutputLogOptions {
  readonly clock: Clock;
  readonly store: OutputStore;
  /**
   * Secrets that are never shown. Those that pass through `write` are replaced by `[redacted]` before they are
   * stored, and offsets count the replacement. In a store that another program writes they are masked in place in
   * everything that is read.
   */
  readonly secrets?: readonly string[];
  /** Receives the error that a listener threw; that listener is not called again. */
  readonly onListenerError?: (error: unknown) => void;
}

const retryPauseMs = 250;
/** Chunks sampled from either end, regardless of how much is kept. */
const binarySamples = 2;

/** Creates the log of one process over the store of its bytes. */
export function createOutputLog(options: OutputLogOptions): OutputLog {
  return new OutputLog(options);
}

/**
 * The output of one process across restarts, in order of arrival: its listeners, its secrets and its end. The bytes are in its store. A
 * class, because every process has one, even long after its end: 17 closures
 * cost 3 KB.
 */
export class OutputLog implements OutputSink {
  readonly #clock: Clock;
  readonly #store: OutputStore;
  readonly #onListenerError: OutputLogOptions['onListenerError'];
  #redactors: StreamRedactors | null = null;
  #secrets: readonly string[] = noSecrets;
  #listeners: Set<() => void> | null = null;
  #cancelWatch: Cancel | null = null;
  #hasWritten = false;
  #lastWriteAtMs: number;
  #ended: boolean;
  #finished: boolean;
  #closing: Promise<void> | null;

  constructor({ clock, store, secrets = noSecrets, onListenerError }: OutputLogOptions) {
    this.#clock = clock;
    this.#store = store;
    this.#onListenerError = onListenerError;
    this.#lastWriteAtMs = clock.nowMs();
    this.#ended = this.#finished = store.isOver;
    this.#closing = store.isOver ? closed : null;
    for (const secret of secrets) this.addSecret(secret);
  }

  /** The offset of the next byte. */
  get bytes(): number {
    return this.#store.bytes;
  }

  get positions(): StreamPositions {
    return this.#store.positions;
  }

  /** True once `markEnd` was called for the current run. */
  get ended(): boolean {
    return this.#ended;
  }

  /** True once `finish` or `close` was called for the current run. */
  get finished(): boolean {
    return this.#finished;
  }

  get lastWriteAtMs(): number {
    return this.#store.lastGrowthAtMs ?? this.#lastWriteAtMs;
  }

  get isBackpressured(): boolean {
    return this.#store.isBackpressured;
  }

  /** Bytes held in memory. */
  get keptBytes(): number {
    return this.#store.keptBytes;
  }

  /** `null` if all kept output is in memory. */
  get onDisk(): DiskAccess | null {
    return this.#store.onDisk;
  }

  /** Same as in `stats`. */
  get logFile(): string | null {
    return this.#store.logFile;
  }

  /**
   * Bytes of output that the log file lacks, dropped at its cap or lost by a failure. Bytes yet to be written count
   * as present.
   */
  get missingInFile(): number {
    return this.#store.missingInFile;
  }

  /** The secrets that are redacted. */
  get secrets(): readonly string[] {
    return this.#secrets;
  }

  stats(): OutputStats {
    const isBinary = (stream: OutputStream) => this.#isBinary(stream);
    return {
      ...this.#store.stats(),
      lastOutputAtMs: this.#hasWritten ? this.#lastWriteAtMs : this.#store.lastGrowthAtMs,
      // Computed on demand, since it samples the whole log.
      get binary() {
        return outputStreams.some(isBinary);
      },
    };
  }

  /** Arrival times by offset. Nothing is known about output that is in memory only. */
  times(): OutputTimes {
    return this.#store.times();
  }

  write(stream: OutputStream, bytes: Uint8Array): boolean {
    if (this.#closing !== null || bytes.byteLength === 0) return true;
    this.#lastWriteAtMs = this.#clock.nowMs();
    this.#hasWritten = true;
    const shown = this.#redactors === null ? bytes : this.#redactors[stream].push(bytes);
    return shown.byteLength === 0 || this.#append(stream, shown);
  }

  whenWritable(callback: () => void): void {
    this.#store.whenWritable(callback);
  }

  /**
   * Marks the end of the process: later output is labelled `afterEnd` and displaces nothing before it.
   * Trailing bytes that could begin a secret are shown now, or, with `keep`, once leftovers write more or at
   * `close`.
   */
  markEnd(held: 'flush' | 'keep' = 'flush'): void {
    if (this.#ended) return;
    if (held === 'flush') this.#flushRedactors();
    this.#ended = true;
    this.#store.setEnded(true);
  }

  /** Marks a restart: labels are cleared, subscriptions stay open. */
  markRestart(): void {
    if (this.#ended) this.#store.setEnded(false);
    this.#store.setEnding(false);
    this.#ended = false;
    this.#finished = this.#closing !== null;
  }

  /** Marks the output of the process itself as complete: subscribers complete. Late output is still accepted. */
  finish(): void {
    if (this.#finished) return;
    this.#finished = true;
    this.#notify();
  }

  /** Accepts the output that the ending process left in its pipes, up to 4 MiB, even if a reader holds the source. */
  expectEnd(): void {
    this.#store.setEnding(true);
  }

  /**
   * Redacts one more secret from now on. Earlier output stays in the file as it was, and is redacted in texts
   * that are shown. A log that its process writes itself masks the secret in everything that is read of it,
   * however old.
   */
  addSecret(secret: string): void {
    if (this.#secrets.includes(secret)) return;
    this.#secrets = [...this.#secrets, secret];
    if (this.#store.mask !== null) this.#store.mask(secret);
    else if (this.#redactors === null) this.#redactors = createStreamRedactors(this.#secrets);
    else for (const stream of outputStreams) this.#redactors[stream].add(secret);
  }

  /** Redacts a text made of this output: removing control characters can reassemble a secret. */
  redact(text: string): string {
    if (this.#secrets.length === 0) return text;
    const redacted = redactText(text, this.#secrets);
    return this.#store.mask === null ? redacted : withoutFiller(redacted);
  }

  /** Resolves when all output so far is in the log file or given up. Bounded like `close`. */
  flush(): Promise<void> {
    return this.#store.flush();
  }

  /** Stops accepting output: subscribers complete, the log file is flushed and closed. Always settles. */
  close(): Promise<void> {
    if (this.#closing !== null) return this.#closing;
    this.#flushRedactors();
    this.#closing = this.#store.close();
    this.finish();
    this.#unwatch();
    return this.#closing;
  }

  /** Keeps only the heads and the newest bytes of each stream, for a process that ended long ago. */
  shrink(tailBytes: number): void {
    this.#store.drop(tailBytes);
  }

  /**
   * Yields the kept output from an offset or positions on; a gap stands for dropped output. Positions are
   * exact; from an offset, a gap in one of two streams that dropped bytes can be too long. Consume it
   * synchronously: output that arrives meanwhile may or may not be included. Stops early only if `onDisk`
   * cannot be read.
   */
  chunks(from: number | StreamPositions, stream?: OutputStream): Iterable<OutputPiece> {
    const positions = typeof from === 'number' ? this.#store.positionsAt(from) : from;
    return this.#store.read(positions, toStreams(stream));
  }

  /** Yields the kept output from the newest chunk to the oldest. */
  chunksBackward(stream?: OutputStream): Iterable<OutputChunk> {
    return this.#store.readBackward(toStreams(stream));
  }

  /**
   * Reads the next output at these positions and before the offset `before`, the earliest of the streams,
   * from the log file of an output kept in memory. Returns a gap where the file has one, `null` if there is
   * nothing or the file cannot tell its stream.
   */
  readBack(
    positions: StreamPositions,
    { before, stream }: { readonly before: number; readonly stream?: OutputStream | undefined },
  ): Promise<OutputPiece | null> {
    return this.#store.readBack(positions, { before, streams: toStreams(stream) });
  }

  positionsAt(offset: number): StreamPositions {
    return this.#store.positionsAt(offset);
  }

  /**
   * Drops nothing that a reader needs from now on: where memory and file have no room the source is made to
   * wait. A process that writes its own log file is never made to wait; its file may exceed the cap instead.
   */
  hold(place: HeldPlace): OutputHold {
    return this.#store.hold(place);
  }

  /** Registers a quick listener called after each write, at `finish` and at `close`. */
  onWrite(listener: () => void): Cancel {
    const own = () => listener();
    this.#listeners ??= new Set();
    this.#listeners.add(own);
    if (this.#closing === null) this.#cancelWatch ??= this.#store.watch?.(() => this.#notify()) ?? null;
    return () => {
      this.#listeners?.delete(own);
      if (this.#listeners?.size === 0) this.#unwatch();
    };
  }

  /** Calls back once, after a pause, when a read has failed. Keeps the program alive only once the log is finished. */
  retryLater(callback: () => void): Cancel {
    return this.#clock.at(this.#clock.nowMs() + retryPauseMs, callback, { idle: !this.#finished });
  }

  #append(stream: OutputStream, bytes: Uint8Array): boolean {
    const isWritable = this.#store.append(stream, bytes, this.#lastWriteAtMs);
    this.#notify();
    return isWritable;
  }

  #flushRedactors(): void {
    if (this.#redactors === null) return;
    for (const stream of outputStreams) {
      const rest = this.#redactors[stream].flush();
      if (rest.byteLength > 0) this.#append(stream, rest);
    }
  }

  #unwatch(): void {
    this.#cancelWatch?.();
    this.#cancelWatch = null;
  }

  /** Calls each listener in turn. A listener that throws is reported and removed; the others are still called. */
  #notify(): void {
    if (this.#listeners === null) return;
    for (const listener of this.#listeners) {
      try {
        listener();
      } catch (error) {
        this.#listeners.delete(listener);
        this.#reportError(error);
      }
    }
  }

  #reportError(error: unknown): void {
    try {
      this.#onListenerError?.(error);
    } catch {
      // The error reporter may fail, too; nothing is left to report that to.
    }
  }

  #isBinary(stream: OutputStream): boolean {
    const streams = [stream];
    const oldest = [...takeFirst(this.#store.read(beginning, streams), binarySamples)];
    const newest = [...takeFirst(this.#store.readBackward(streams), binarySamples)];
    return looksBinary(
      [...oldest, ...newest].flatMap((piece) => (piece.type === 'chunk' ? [piece.bytes] : [])),
    );
  }
}

const beginning: StreamPositions = { stdout: 0, stderr: 0, screen: 0 };

/** Shared by many logs. */
const closed = Promise.resolve();
const noSecrets: readonly string[] = [];
