import type { Cancel, Clock } from '../clock/clock.ts';
import { toErrorText } from '../config/error-text.ts';
import { diskFullDegradation } from './full-disk.ts';
import type { LogGap } from './log-map.ts';
import type { OutputChunk, OutputPiece, StreamPositions } from './output-chunk.ts';
import { type HeldPlace, type OutputHold, OutputHolds } from './output-holds.ts';
import {
  checkBytes,
  type DiskAccess,
  type OutputDegradation,
  type OutputLog,
  type OutputStats,
  retryPauseMs,
} from './output-log.ts';
import type { OutputStream } from './output-sink.ts';
import { type OutputTimes, timesPathOf, toLengthMarks } from './output-times.ts';
import { redactText, withoutFiller } from './redact.ts';
import { createRedactedFile, type RedactedFile } from './redacted-file.ts';
import { TailedChunks } from './tailed-chunks.ts';
import {
  createLineCounter,
  createTailedFile,
  type LineCounter,
  type OpenFile,
  type TailedFile,
} from './tailed-file.ts';
import { capLog, type LogCap } from './tailed-log-cap.ts';
import { createLengthMarks, createTimeIndex, type LengthMarks, type TimeIndex } from './time-index-file.ts';
import type { TruncateLog } from './truncate-log.ts';
import { GrowthListeners } from './watch-growth.ts';

export interface TailedLogOptions {
  readonly clock: Clock;
  /** The file, written by the process itself. */
  readonly path: string;
  /**
   * The file that records what was removed from the log; `null` if nothing is ever removed, as in logs written by
   * troupe.
   */
  readonly statusPath: string | null;
  /**
   * Disk space above which the middle of the log is given up, while this log is open and its process runs.
   * `null`: the log is never changed.
   */
  readonly maxBytes: number | null;
  /** The process ended long ago: nothing is watched. */
  readonly isOver: boolean;
  /** The only stream of the log. Default `stdout`. */
  readonly stream?: 'stdout' | 'screen';
  /**
   * Secrets that may be in the file, since the process writes it directly; they are masked in place in
   * everything that is read.
   */
  readonly secrets?: readonly string[];
  readonly truncationStrategies?: readonly TruncateLog[];
  readonly openFile?: OpenFile;
  /** Receives what a listener threw; that listener is not called again. */
  readonly onListenerError?: (error: unknown) => void;
}

/**
 * Creates the log of a process that writes its log file itself. Reads only what is requested and keeps
 * nothing. All output belongs to one stream, in order of arrival; the time of a chunk is that of the last
 * write.
 */
export function createTailedLog(options: TailedLogOptions): OutputLog {
  const { maxBytes } = options;
  if (maxBytes !== null) checkBytes('maxLogBytes', maxBytes, 1024);
  return new TailedOutputLog(options);
}

/** A class for the same reason as `BufferedOutputLog`. */
class TailedOutputLog implements OutputLog, DiskAccess {
  readonly #options: TailedLogOptions;
  readonly #file: TailedFile;
  readonly #chunks: TailedChunks;
  readonly #createdAtMs: number;
  readonly #lines: LineCounter;
  readonly #index: TimeIndex;
  /** Set only while this log is supervised: no other program may write an index. */
  #marks: LengthMarks | null = null;
  readonly #listeners: GrowthListeners;
  #cap: LogCap | null = null;
  #isShortened = false;
  readonly #holds = new OutputHolds();
  #ended: boolean;
  #finished: boolean;
  #isClosed: boolean;
  #capProblem: string | null = null;
  #maskProblem: string | null = null;
  #closing: Promise<void> | null = null;
  #secrets: readonly string[] = [];
  /** `null` while there is nothing to mask: reading then costs no more than the file. */
  #masked: RedactedFile | null = null;
  readonly stream: 'stdout' | 'screen';

  constructor(options: TailedLogOptions) {
    const { clock, path, statusPath, maxBytes, isOver } = options;
    this.#options = options;
    this.stream = options.stream ?? 'stdout';
    this.#file = createTailedFile({
      ...{ path, statusPath, isExpected: isOver },
      ...(options.openFile !== undefined && { openFile: options.openFile }),
    });
    this.#listeners = new GrowthListeners({ file: this.#file, clock, onError: options.onListenerError });
    if (isOver) this.#listeners.close();
    this.#chunks = new TailedChunks({
      ...{ file: this.#file, stream: this.stream, lastWriteAtMs: () => this.lastWriteAtMs },
    });
    for (const secret of options.secrets ?? []) this.addSecret(secret);
    this.#lines = createLineCounter(this.#file);
    this.#index = createTimeIndex(timesPathOf(path));
    this.#createdAtMs = clock.nowMs();
    this.#ended = this.#finished = this.#isClosed = isOver;
    if (isOver || statusPath === null || maxBytes === null) return;
    const marks = createLengthMarks({ index: this.#index, clock });
    this.#marks = marks;
    this.#cap = capLog({
      onCheck: marks.observe,
      neededOffset: () =>
        this.#holds.isEmpty
          ? Number.POSITIVE_INFINITY
          : Math.min(this.bytes, this.#holds.neededOffset(this.positions)),
      ...{ file: this.#file, statusPath, maxBytes, clock },
      ...(options.truncationStrategies !== undefined && { strategies: options.truncationStrategies }),
      onProblem: (error) => {
        this.#capProblem = error === null ? null : toErrorText(error);
      },
      onShortened: () => {
        this.#isShortened = true;
      },
    });
  }

  get bytes(): number {
    return this.#file.bytes();
  }

  get positions(): StreamPositions {
    return this.#positionsOf(this.#file.bytes());
  }

  get keptBytes(): number {
    return 0;
  }

  get onDisk(): DiskAccess {
    return this;
  }

  get readError(): string | null {
    return this.#file.readError;
  }

  droppedBytesBetween(from: number, to: number): number {
    const present = Math.max(from, Math.min(to, this.#file.presentBytes()));
    const gaps = this.#file.map().gaps.map((gap) => Math.min(gap.to, present) - Math.max(gap.from, from));
    return gaps.reduce((sum, bytes) => sum + Math.max(0, bytes), to - present);
  }

  gapAt(offset: number): LogGap | null {
    return this.#file.map().gaps.find(({ from, to }) => from <= offset && offset < to) ?? null;
  }

  retryLater(callback: () => void): Cancel {
    const { clock } = this.#options;
    return clock.at(clock.nowMs() + retryPauseMs, callback, { idle: !this.#finished });
  }

  get isBackpressured(): boolean {
    return false;
  }

  get lastWriteAtMs(): number {
    return this.#lastOutputAtMs() ?? this.#createdAtMs;
  }

  get ended(): boolean {
    return this.#ended;
  }

  get finished(): boolean {
    return this.#finished;
  }

  get logFile(): string | null {
    return this.#file.stat() === null ? null : this.#file.path;
  }

  get missingInFile(): number {
    return this.droppedBytesBetween(0, this.#file.bytes());
  }

  times(): OutputTimes {
    const { current = null } = this.#marks ?? {};
    const unwritten = current === null ? [] : [{ ...current, position: current.offset }];
    return {
      marks: toLengthMarks([...this.#index.read(), ...unwritten], 'position'),
      lastAt: this.#file.stat()?.mtimeMs ?? null,
    };
  }

  /** Ignores output: only the process writes to its file. */
  write(): boolean {
    return true;
  }

  whenWritable(callback: () => void): void {
    queueMicrotask(callback);
  }

  markEnd(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#chunks.markEnd(this.bytes);
  }

  markRestart(): void {
    if (this.#ended) this.#chunks.markRestart(this.bytes);
    this.#ended = false;
    this.#finished = this.#isClosed;
  }

  finish(): void {
    if (this.#finished) return;
    this.#finished = true;
    this.#listeners.notify();
  }

  addSecret(secret: string): void {
    if (this.#secrets.includes(secret)) return;
    this.#secrets = [...this.#secrets, secret];
    this.#masked ??= createRedactedFile(this.#file);
    this.#masked.add(secret);
    this.#chunks.source = this.#masked;
  }

  get secrets(): readonly string[] {
    return this.#secrets;
  }

  redact(text: string): string {
    return this.#masked === null ? text : withoutFiller(redactText(text, this.#secrets));
  }

  flush(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const isWritten = !this.#isClosed;
    this.#isClosed = true;
    this.finish();
    this.#listeners.close();
    await this.#cap?.finish();
    this.#marks?.finish();
    // Later readers do not know what to mask.
    if (isWritten && this.#options.statusPath !== null)
      this.#maskProblem = (await this.#masked?.redactInFile()) ?? null;
  }

  shrink(): void {}

  stats(): OutputStats {
    const isBinary = () => this.#chunks.isBinary();
    const bytes = this.#file.bytes();
    return {
      bytes,
      lines: this.#lines.count(bytes),
      droppedBytes: this.droppedBytesBetween(0, bytes),
      lastOutputAtMs: this.#lastOutputAtMs(),
      logFile: this.logFile,
      degraded: this.#degraded(bytes),
      get binary() {
        return isBinary();
      },
    };
  }

  chunks(from: number | StreamPositions, stream: OutputStream = this.stream): Iterable<OutputPiece> {
    if (stream !== this.stream) return [];
    const offset = typeof from === 'number' ? from : from[this.stream];
    return this.#chunks.between(offset, this.#file.bytes());
  }

  chunksBackward(stream: OutputStream = this.stream): Iterable<OutputChunk> {
    return stream === this.stream ? this.#chunks.backward() : [];
  }

  /** Returns nothing, since no output is in memory only. */
  async readBack(): Promise<null> {
    return null;
  }

  positionsAt(offset: number): StreamPositions {
    return this.#positionsOf(Math.max(0, Math.min(offset, this.#file.bytes())));
  }

  hold(place: HeldPlace): OutputHold {
    return this.#holds.add(place);
  }

  /** Has no effect: the process is never made to wait. */
  expectEnd(): void {}

  #positionsOf(bytes: number): StreamPositions {
    return { ...nowhere, [this.stream]: bytes };
  }

  onWrite(listener: () => void): Cancel {
    return this.#listeners.add(listener);
  }

  /** Returns the file's time on our clock, unless the wall clock was set since. */
  #lastOutputAtMs(): number | null {
    const { clock } = this.#options;
    const stats = this.#file.stat();
    if (stats === null || this.#file.bytes() === 0) return null;
    return clock.nowMs() - Math.max(0, clock.epochMs() - stats.mtimeMs);
  }

  #degraded(bytes: number): OutputDegradation | null {
    const { problem: trouble } = this.#file;
    const missingBytes = bytes - this.#file.presentBytes();
    if (trouble !== null) return { what: 'the log file cannot be read', error: trouble, missingBytes };
    if (this.#maskProblem !== null)
      return {
        what: 'a secret is in the log file and cannot be redacted there',
        error: this.#maskProblem,
        missingBytes: 0,
      };
    if (this.#file.map().fullAt.length > 0) return diskFullDegradation;
    if (this.#capProblem !== null)
      return { what: 'the log file is larger than its cap', error: this.#capProblem, missingBytes: 0 };
    return this.#isShortened ? shortened : null;
  }
}

const shortened: OutputDegradation = {
  what: 'the log was shortened before it reached its cap',
  error: 'the disk is nearly full',
  missingBytes: 0,
};

const nowhere: StreamPositions = { stdout: 0, stderr: 0, screen: 0 };
