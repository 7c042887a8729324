import type { Cancel, Clock } from '../clock/clock.ts';
import { toErrorText } from '../config/error-text.ts';
import { diskFullDegradation } from './full-disk.ts';
import { type FileSpan, gapAt, type LogGap, wholeLog } from './log-map.ts';
import { type OutputChunk, type OutputPiece, positionAfter, type StreamPositions } from './output-chunk.ts';
import { type HeldPlace, type OutputHold, OutputHolds } from './output-holds.ts';
import type { OutputStream } from './output-sink.ts';
import {
  checkBytes,
  type DiskAccess,
  type OutputDegradation,
  type OutputStore,
  type StoreStats,
} from './output-store.ts';
import { type OutputTimes, timesPathOf, toLengthMarks } from './output-times.ts';
import {
  type LogMapReader,
  NoticeMapReader,
  type OpenFile,
  openToRead,
  StatusMapReader,
} from './read-log-map.ts';
import { createRedactedFile, type RedactedFile } from './redacted-file.ts';
import { createTailedFile, LineCounter, type TailedFile } from './tailed-file.ts';
import { capLog } from './tailed-log-cap.ts';
import { LengthMarks, TimeIndex } from './time-index-file.ts';
import type { TruncateLog } from './truncate-log.ts';
import { watchGrowth } from './watch-growth.ts';

export interface FileStoreOptions {
  readonly clock: Clock;
  /** The file: the process itself writes it, or a supervisor that is gone has written it. */
  readonly path: string;
  /**
   * The file that records what was removed from the log; `null` if there is none. A supervisor that writes a log has
   * none either, but notices in the log.
   */
  readonly statusPath: string | null;
  /**
   * Disk space above which the middle of the log is given up, while this store is open and its process runs.
   * `null`: the log is never changed.
   */
  readonly maxBytes: number | null;
  /** The process ended long ago: nothing is watched. */
  readonly isOver: boolean;
  /** The only stream of the log. Default `stdout`. */
  readonly stream?: 'stdout' | 'screen';
  readonly truncationStrategies?: readonly TruncateLog[];
  readonly openFile?: OpenFile;
}

const chunkBytes = 64 * 1024;

/**
 * Creates a store over a log file that another program writes. Reads only what is requested and keeps nothing. All
 * output belongs to one stream, in order of arrival; the time of a chunk is that of the last write.
 */
export function createFileStore(options: FileStoreOptions): OutputStore {
  if (options.maxBytes !== null) checkBytes('maxLogBytes', options.maxBytes, 1024);
  return new FileStore(options);
}

/** A class for the same reason as `OutputLog`. */
class FileStore implements OutputStore, DiskAccess {
  readonly keptBytes = 0;
  readonly isBackpressured = false;
  readonly onDisk: DiskAccess = this;
  readonly stream: 'stdout' | 'screen';
  readonly isOver: boolean;
  readonly #clock: Clock;
  readonly #statusPath: string | null;
  readonly #file: TailedFile;
  readonly #lines: LineCounter;
  readonly #index: TimeIndex;
  /** Index writer, only while the log is supervised: no other program may write an index. */
  #marks: LengthMarks | null = null;
  #finishCap: (() => Promise<void>) | null = null;
  readonly #holds = new OutputHolds();
  /** Ranges of output after an end; the last one is open while `to` is null. */
  readonly #late: { readonly from: number; to: number | null }[] = [];
  /** `null` while there is nothing to mask: reading then costs no more than the file. */
  #masked: RedactedFile | null = null;
  #maskProblem: string | null = null;
  #capProblem: string | null = null;
  #isShortened = false;

  constructor(options: FileStoreOptions) {
    const { clock, path, statusPath, isOver } = options;
    this.stream = options.stream ?? 'stdout';
    this.isOver = isOver;
    this.#clock = clock;
    this.#statusPath = statusPath;
    this.#index = new TimeIndex(timesPathOf(path));
    this.#file = openLog(options, this.#index);
    this.#lines = new LineCounter(this.#file);
    if (!isOver) this.#supervise(options);
  }

  /** Keeps the file below its cap, and an index of its times. */
  #supervise({ clock, statusPath, maxBytes, truncationStrategies: strategies }: FileStoreOptions): void {
    if (statusPath === null || maxBytes === null) return;
    const marks = new LengthMarks(this.#index, clock);
    this.#marks = marks;
    this.#finishCap = capLog({
      ...{ file: this.#file, statusPath, maxBytes, clock },
      ...(strategies !== undefined && { strategies }),
      onCheck: (bytes) => marks.observe(bytes),
      neededOffset: () =>
        this.#holds.isEmpty
          ? Number.POSITIVE_INFINITY
          : Math.min(this.bytes, this.#holds.neededOffset(this.positions)),
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
    return this.#toPositions(this.bytes);
  }

  get logFile(): string | null {
    return this.#file.stat() === null ? null : this.#file.path;
  }

  get missingInFile(): number {
    return this.droppedBytesBetween(0, this.bytes);
  }

  get readError(): string | null {
    return this.#file.readError;
  }

  /** Returns the file's time on our clock, unless the wall clock was set since. */
  get lastGrowthAtMs(): number | null {
    const stats = this.#file.stat();
    if (stats === null || (stats.size === 0 && this.bytes === 0)) return null;
    return this.#clock.nowMs() - Math.max(0, this.#clock.epochMs() - stats.mtimeMs);
  }

  stats(): StoreStats {
    const { bytes, logFile } = this;
    const droppedBytes = this.droppedBytesBetween(0, bytes);
    // Counted before the degradation is looked up, because counting reads the file.
    const lines = this.#lines.count(bytes);
    return { bytes, lines, droppedBytes, logFile, degraded: this.#degradation(bytes) };
  }

  #degradation(bytes: number): OutputDegradation | null {
    const { problem } = this.#file;
    const missingBytes = bytes - this.#file.presentBytes();
    if (problem !== null) return { what: 'the log file cannot be read', error: problem, missingBytes };
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

  times(): OutputTimes {
    const lastAt = this.#file.stat()?.mtimeMs ?? null;
    if (this.#marks !== null) return this.#marks.times(lastAt);
    const by = this.#file.map() === wholeLog ? 'position' : 'offset';
    return { marks: toLengthMarks(this.#index.read(), by), lastAt };
  }

  droppedBytesBetween(from: number, to: number): number {
    const present = Math.max(from, Math.min(to, this.#file.presentBytes()));
    const gaps = this.#file.map().gaps.map((gap) => Math.min(gap.to, present) - Math.max(gap.from, from));
    return gaps.reduce((sum, bytes) => sum + Math.max(0, bytes), to - present);
  }

  gapAt(offset: number): LogGap | null {
    return gapAt(this.#file.map(), offset);
  }

  /** Ignores output: only the process writes to its file. */
  append(): boolean {
    return true;
  }

  whenWritable(callback: () => void): void {
    queueMicrotask(callback);
  }

  setEnded(isEnded: boolean): void {
    const last = this.#late.at(-1);
    if (isEnded) this.#late.push({ from: this.bytes, to: null });
    else if (last !== undefined) last.to = this.bytes;
  }

  /** Has no effect: the process is never made to wait. */
  setEnding(): void {}

  /** Keeps nothing in memory. */
  drop(): void {}

  readonly watch = (onGrowth: () => void): Cancel =>
    watchGrowth(this.#file, { clock: this.#clock, onGrowth });

  readonly mask = (secret: string): void => {
    this.#masked ??= createRedactedFile(this.#file);
    this.#masked.add(secret);
  };

  *read(from: StreamPositions, streams: readonly OutputStream[]): Generator<OutputPiece, void> {
    if (streams.includes(this.stream)) yield* this.#between(from[this.stream], this.bytes);
  }

  *readBackward(streams: readonly OutputStream[]): Generator<OutputChunk, void> {
    let end = streams.includes(this.stream) ? this.#file.presentBytes() : 0;
    while (end > 0) {
      const from = Math.max(0, end - chunkBytes);
      const pieces = [...this.#between(from, end)];
      const last = pieces.at(-1);
      if (last === undefined || positionAfter(last) < end) return;
      yield* pieces.filter((piece) => piece.type === 'chunk').reverse();
      end = this.#file.map().gaps.find((gap) => gap.from < from && gap.to >= from)?.from ?? from;
    }
  }

  /** Returns nothing, since no output is in memory only. */
  async readBack(): Promise<null> {
    return null;
  }

  *#between(from: number, end: number): Generator<OutputPiece, void> {
    const file = this.#masked ?? this.#file;
    for (let offset = from; offset < end; ) {
      const span = file.read(offset, Math.min(chunkBytes, end - offset));
      if (span === null) return;
      const piece = this.#toPiece(span);
      yield piece;
      offset = positionAfter(piece);
    }
  }

  /** Cuts a chunk where output before an end meets output after it. */
  #toPiece(span: FileSpan): OutputPiece {
    const { stream } = this;
    if (span.type === 'gap') {
      const { from, to } = span;
      return { type: 'gap', stream, from, to, position: from, droppedBytes: to - from };
    }
    const { offset, bytes } = span;
    const late = this.#late.find(({ to }) => to === null || to > offset);
    const afterEnd = late !== undefined && late.from <= offset;
    const labelEnd = (afterEnd ? late.to : late?.from) ?? Number.POSITIVE_INFINITY;
    return {
      ...{ type: 'chunk', stream, offset, position: offset, afterEnd },
      bytes: bytes.subarray(0, Math.min(bytes.byteLength, labelEnd - offset)),
      atMs: this.lastGrowthAtMs ?? this.#clock.nowMs(),
    };
  }

  positionsAt(offset: number): StreamPositions {
    return this.#toPositions(Math.max(0, Math.min(offset, this.bytes)));
  }

  #toPositions(bytes: number): StreamPositions {
    return { ...nowhere, [this.stream]: bytes };
  }

  hold(place: HeldPlace): OutputHold {
    return this.#holds.add(place);
  }

  flush(): Promise<void> {
    return settled;
  }

  async close(): Promise<void> {
    await this.#finishCap?.();
    this.#marks?.finish();
    // Later readers do not know what to mask.
    if (this.#statusPath !== null) this.#maskProblem = (await this.#masked?.redactInFile()) ?? null;
  }
}

function openLog(options: FileStoreOptions, index: TimeIndex): TailedFile {
  const { path, statusPath, isOver: isExpected, maxBytes, openFile = openToRead } = options;
  const status = new StatusMapReader(statusPath, openFile);
  const open = (maps: LogMapReader) => createTailedFile({ path, isExpected, maps, openFile });
  // Where the size is kept within the cap, the process writes the file.
  if (maxBytes !== null && !isExpected) return open(status);
  const file = open({ read: () => wholeLog, error: null });
  return open(new NoticeMapReader({ status, file, marks: () => index.read() }));
}

const shortened: OutputDegradation = {
  what: 'the log was shortened before it reached its cap',
  error: 'the disk is nearly full',
  missingBytes: 0,
};

const nowhere: StreamPositions = { stdout: 0, stderr: 0, screen: 0 };
/** Shared by many stores. */
const settled = Promise.resolve();
