import type { Clock } from '../clock/clock.ts';
import { toErrorText } from '../config/error-text.ts';
import { appendLine, appendOutput, compactLog } from './change-log-file.ts';
import { tailBytesOf, toMissingText } from './log-cap.ts';
import {
  IdentifiedFile,
  type LogFileHandle,
  type LogFileSystem,
  nodeLogFileSystem,
} from './log-file-system.ts';
import { LogLayout } from './log-layout.ts';
import { LogLosses } from './log-losses.ts';
import type { OutputDegradation } from './output-store.ts';
import { type OutputTimes, timesPathOf } from './output-times.ts';
import { WriteMarks } from './time-index-file.ts';
import { PausedSources, PendingFlushes, WriteQueue } from './write-queue.ts';

interface LogFileOptions {
  /** Created with its directory at the first byte, for its owner only. */
  readonly path: string;
  readonly maxBytes: number;
  readonly clock: Clock;
  /** Called once, at the first failure. */
  readonly onDegraded?: (degradation: OutputDegradation) => void;
  /** Called after each step of writing. */
  readonly onProgress?: () => void;
  readonly files?: LogFileSystem;
}

const highWaterBytes = 4 * 1024 * 1024;
const lowWaterBytes = highWaterBytes / 2;
const batchBytes = 1024 * 1024;
const longestHoldMs = 1_000;
const retryAfterMs = 5_000;
const identityCheckMs = 1_000;
const closeGraceMs = 5_000;

/**
 * Output on disk, written in the background: readable at any time, never larger than its cap, and no failure
 * reaches the process. A class, because every process with a log file has one, and closures would cost more.
 */
export class LogFile {
  readonly #options: LogFileOptions;
  readonly #clock: Clock;
  readonly #files: LogFileSystem;
  readonly #file: IdentifiedFile;
  readonly #marks: WriteMarks;
  readonly #queue = new WriteQueue();
  readonly #sources = new PausedSources();
  readonly #flushes = new PendingFlushes();
  #layout: LogLayout;
  #checkAtMs = 0;
  #retryAtMs = Number.NEGATIVE_INFINITY;
  readonly #losses: LogLosses;
  /** Lines that are not output, with the queued bytes before them. */
  #notes: { readonly text: string; readonly afterBytes: number }[] = [];
  #pumping: Promise<void> | null = null;
  #isHung = false;
  #addedBytes = 0;
  #closing: Promise<void> | null = null;
  /** A running compaction: the layout of the file is unknown until it is done. */
  #compaction: Promise<unknown> | null = null;
  #compactions = 0;
  #retainedFrom = Number.POSITIVE_INFINITY;

  constructor(options: LogFileOptions) {
    const { path, maxBytes, clock } = options;
    this.#options = options;
    this.#clock = clock;
    this.#files = options.files ?? nodeLogFileSystem;
    this.#file = new IdentifiedFile(path, this.#files);
    this.#losses = new LogLosses(options.onDegraded);
    this.#marks = new WriteMarks(timesPathOf(path), clock);
    this.#layout = new LogLayout({ maxBytes, size: 0 });
  }

  /** `null` until the file exists, and once it was found removed. */
  get path(): string | null {
    return this.#file.handle === null ? null : this.#options.path;
  }

  get degraded(): OutputDegradation | null {
    return this.#losses.degraded;
  }

  /** Output that is not in the file, because of the cap or a failure. */
  get missingBytes(): number {
    return this.#losses.unwrittenBytes + this.#layout.missingBytes;
  }

  /** Output that the file received without a loss, including what it gave up at its cap. */
  get storedBytes(): number {
    return this.#losses.intactBytes ?? this.#layout.outputBytes;
  }

  /** Keeps the output from this offset on at the cap, which the file may therefore exceed. Infinity: keeps none. */
  retain(offset: number): void {
    this.#retainedFrom = offset;
  }

  /** Bytes beyond the cap that `retain` keeps; 0 while the file can be compacted. */
  get surplusBytes(): number {
    const { maxBytes } = this.#options;
    const queued = this.#queue.bytes;
    const tailOffset = this.#layout.outputBytes + queued - tailBytesOf(maxBytes);
    return this.#retainedFrom < tailOffset ? Math.max(0, this.#layout.size + queued - maxBytes) : 0;
  }

  /** Returns arrival times by offsets in the output, not in the file. */
  times(): OutputTimes {
    return this.#marks.times(this.#layout.size);
  }

  /** Queues bytes. `false`: the queue is too long; pause the source until `whenWritable`. */
  write(bytes: Uint8Array): boolean {
    const nowMs = this.#clock.nowMs();
    this.#marks.arrive(bytes.byteLength, { nowMs, queuedBytes: this.#queue.bytes });
    if (this.#closing !== null || nowMs < this.#retryAtMs) {
      this.#lose(bytes.byteLength);
      return true;
    }
    this.#queue.add(bytes);
    this.#addedBytes += bytes.byteLength;
    this.#startPump();
    if (this.#queue.bytes <= highWaterBytes) return true;
    if (this.#isHung) {
      this.#lose(this.#dropQueue());
      return true;
    }
    this.#sources.pause(this.#clock, { limitMs: longestHoldMs, onLimit: () => this.#onPausedTooLong() });
    return false;
  }

  /** Calls back once, at most a second after `write` first answered `false`. */
  whenWritable(callback: () => void): void {
    this.#sources.whenResumed(callback);
  }

  /** Writes a line that is not output. */
  note(text: string): void {
    if (this.#closing !== null || this.#clock.nowMs() < this.#retryAtMs) return;
    this.#notes.push({ text, afterBytes: this.#queue.bytes });
  }

  /**
   * Reads output from an offset on, at most `length` bytes, or the end of a missing range. `null` if it is not
   * written yet.
   */
  async read(offset: number, length: number) {
    while (true) {
      await this.#compaction?.catch(() => {});
      const place = this.#layout.locate(offset);
      if (place === null) {
        const lostTo = this.#layout.outputBytes + this.#losses.unwrittenBytes;
        return offset < lostTo ? { missingTo: lostTo } : null;
      }
      if (place.type === 'missing') return { missingTo: place.to };
      const before = this.#compactions;
      const bytes = await this.#file.read(place.position, Math.min(place.length, length));
      if (this.#compactions !== before) continue;
      return bytes === null || bytes.byteLength === 0 ? { missingTo: offset + place.length } : bytes;
    }
  }

  /** Resolves when everything written so far is in the file or lost; at most five seconds if the disk hangs. */
  flush(): Promise<void> {
    if (this.#pumping === null) return Promise.resolve();
    return this.#flushes.add(this.#clock, { upTo: this.#addedBytes, limitMs: closeGraceMs });
  }

  /** Writes what is queued and closes. Always settles, within five seconds if the disk hangs. */
  close(): Promise<void> {
    this.#closing ??= new Promise<void>((resolve) => {
      const cancel = this.#clock.at(this.#clock.nowMs() + closeGraceMs, () => {
        const error = `the disk did not answer within ${closeGraceMs} ms`;
        this.#losses.degrade('the log file could not be closed', error);
        this.#lose(this.#dropQueue());
        resolve();
      });
      this.#finish()
        .catch((error: unknown) =>
          this.#losses.degrade('the log file could not be closed', toErrorText(error)),
        )
        .finally(() => {
          cancel();
          this.#sources.resume();
          resolve();
        });
    });
    return this.#closing;
  }

  async #finish(): Promise<void> {
    // Repeated: output that arrives as one pump ends begins another, and two would write past each other.
    while (this.#pumping !== null) await this.#pumping;
    if (this.#queue.bytes > 0) await this.#pump();
    if (this.#file.handle === null) return;
    if (await this.#isRemoved()) await this.#abandonRemoved();
    const { handle } = this.#file;
    if (handle !== null && this.#losses.unwrittenBytes > 0) await this.#writeLines(handle).catch(() => {});
    await this.#file.handle?.close();
  }

  #onPausedTooLong(): void {
    this.#isHung = true;
    const error = `nothing could be written for ${longestHoldMs} ms`;
    this.#losses.degrade('the disk did not keep up with the output', error);
    this.#lose(this.#dropQueue());
    this.#sources.resume();
  }

  #startPump(): void {
    this.#pumping ??= this.#pump().finally(() => {
      this.#pumping = null;
      // A flush requested since the last write has nothing left to wait for.
      this.#flushes.settle(this.#addedBytes - this.#queue.bytes);
      // Output may have arrived since the last look at the queue.
      if (this.#queue.bytes > 0) this.#startPump();
      else this.#sources.resume();
    });
  }

  async #pump(): Promise<void> {
    while (this.#queue.bytes > 0 || this.#notes.length > 0) {
      try {
        await this.#step();
      } catch (error) {
        return this.#fail('the log file could not be written', error);
      } finally {
        this.#flushes.settle(this.#addedBytes - this.#queue.bytes);
      }
      this.#isHung = false;
      if (this.#queue.bytes <= lowWaterBytes) this.#sources.resume();
      this.#options.onProgress?.();
    }
  }

  /** Writes one batch, or makes room for it. */
  async #step(): Promise<void> {
    const handle = this.#file.handle ?? (await this.#open());
    if (this.#clock.nowMs() >= this.#checkAtMs && (await this.#isRemoved())) {
      await this.#abandonRemoved();
      return;
    }
    const isFull = this.#layout.roomBytes <= 0;
    if (isFull && this.#mayCompact()) return await this.#compact(handle);
    const room = isFull ? batchBytes : this.#layout.roomBytes;
    await this.#writeLines(handle);
    this.#marks.writeDue(this.#layout.size);
    const limits = [this.#notes[0]?.afterBytes ?? room, this.#marks.nextAfterBytes ?? room];
    const pieces = this.#queue.take(Math.min(room, batchBytes, ...limits));
    this.#leaveQueue(pieces.reduce((sum, piece) => sum + piece.byteLength, 0));
    await appendOutput(
      { handle, layout: this.#layout },
      { pieces, restore: (rest) => this.#queue.restore(rest) },
    );
  }

  async #open(): Promise<LogFileHandle> {
    const { handle, size } = await this.#file.open();
    this.#checkAtMs = this.#clock.nowMs() + identityCheckMs;
    this.#layout = new LogLayout({ maxBytes: this.#options.maxBytes, size });
    return handle;
  }

  #mayCompact(): boolean {
    if (this.#retainedFrom === Number.POSITIVE_INFINITY) return true;
    const queued = this.#queue.bytes;
    const isTailInFile = queued <= this.#options.maxBytes / 2;
    return isTailInFile && this.#layout.planCompaction(queued).tailOffset <= this.#retainedFrom;
  }

  async #compact(handle: LogFileHandle): Promise<void> {
    const { path, maxBytes } = this.#options;
    const queued = this.#queue.bytes;
    const skipped = queued > maxBytes / 2 ? this.#skipQueue(queued - Math.floor(maxBytes / 2)) : 0;
    this.#layout.skippedBytes += skipped;
    const compacting = compactLog({
      ...{ files: this.#files, path, handle, layout: this.#layout },
      pendingBytes: this.#queue.bytes,
    });
    this.#compaction = compacting;
    this.#compactions += 1;
    const moved = await compacting.finally(() => {
      this.#compaction = null;
    });
    this.#marks.move(moved);
  }

  /** Writes the lines that are not output: about bytes missing here, and notes. */
  async #writeLines(handle: LogFileHandle): Promise<void> {
    const to = { handle, layout: this.#layout };
    const { unwrittenBytes: missingBytes, reason } = this.#losses;
    if (missingBytes > 0) {
      await appendLine(to, { text: toMissingText(missingBytes, reason), missingBytes });
      this.#losses.noteWritten(missingBytes);
    }
    for (let note = this.#notes[0]; note !== undefined && note.afterBytes <= 0; note = this.#notes[0]) {
      await appendLine(to, { text: note.text, missingBytes: 0 });
      this.#notes.shift();
    }
  }

  async #isRemoved(): Promise<boolean> {
    this.#checkAtMs = this.#clock.nowMs() + identityCheckMs;
    return await this.#file.isRemoved();
  }

  async #abandonRemoved(): Promise<void> {
    const { path, maxBytes } = this.#options;
    const old = this.#file.detach();
    const lostBytes = this.#layout.outputBytes;
    this.#losses.loseAll();
    this.#marks.move({ from: 0, to: this.#layout.size, target: 0 });
    this.#layout = new LogLayout({ maxBytes, size: 0 });
    this.#losses.degrade('the log file was removed or replaced', `${path} is not the file that was opened`);
    this.#lose(lostBytes);
    await old?.close().catch(() => {});
  }

  #fail(what: string, error: unknown): void {
    this.#losses.degrade(what, toErrorText(error));
    this.#retryAtMs = this.#clock.nowMs() + retryAfterMs;
    this.#isHung = false;
    this.#lose(this.#dropQueue());
    this.#sources.resume();
  }

  #lose(bytes: number): void {
    this.#losses.add(bytes, this.#layout.outputBytes);
  }

  #dropQueue(): number {
    return this.#skipQueue(this.#queue.bytes);
  }

  #skipQueue(bytes: number): number {
    this.#queue.skip(bytes);
    this.#leaveQueue(bytes);
    return bytes;
  }

  #leaveQueue(bytes: number): void {
    this.#notes = this.#notes.map(({ text, afterBytes }) => ({ text, afterBytes: afterBytes - bytes }));
    this.#marks.leaveQueue(bytes);
  }
}
