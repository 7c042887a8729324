import type { Observable } from 'rxjs';
import type { Cancel } from '../clock/clock.ts';
import { parseOptions } from '../config/parse-options.ts';
import { iterationOptions } from '../config/read-options.ts';
import { createFileStore } from '../output/file-store.ts';
import { type IterationOptions, iterateLog } from '../output/follow-log.ts';
import type { OutputLine } from '../output/lines.ts';
import { iterateChunks, iterateLines, toWebStream } from '../output/lossless-reading.ts';
import { createMemoryStore } from '../output/memory-store.ts';
import { lines$, output$ } from '../output/observables.ts';
import type { OutputChunk, OutputGap, OutputPiece } from '../output/output-chunk.ts';
import { createOutputLog, type OutputLog, toDegradedText } from '../output/output-log.ts';
import type { OutputStore } from '../output/output-store.ts';
import type { OutputTimes } from '../output/output-times.ts';
import { type ProgressView, readLogProgress } from '../output/progress.ts';
import { type OutputRead, type ReadOptions, readOutput } from '../output/read-output.ts';
import { createReaders, type OutputReader, type ReaderPositions, type Readers } from '../output/reader.ts';
import type { ProcessDeps } from './process-deps.ts';
import type { ProcessPlan } from './process-plan.ts';
import type { OutputView } from './process-view.ts';
import type { RestoredProcess } from './restored-process.ts';

/** Shortest time between two views that differ in their output only. */
const growthIntervalMs = 250;

/** The output of one process over all its attempts: its log, the readers of the log, and what can be said of both. */
export class ProcessOutput {
  readonly log: OutputLog;
  /** The offset at which the output of the current attempt begins. */
  attemptOffset: number;
  readonly #plan: ProcessPlan;
  readonly #deps: ProcessDeps;
  readonly #restored: RestoredProcess | null;
  #readers: Readers | null = null;
  #progress: { readonly atBytes: number; readonly view: ProgressView | null } | null = null;
  #flushed: Promise<void> | null = null;

  constructor(plan: ProcessPlan, deps: ProcessDeps, restored: RestoredProcess | null) {
    this.#plan = plan;
    this.#deps = deps;
    this.#restored = restored;
    this.attemptOffset = restored?.attemptOffset ?? 0;
    this.log = this.#createLog();
  }

  /** Resolves when everything that was printed before the end is on disk. */
  get flushed(): Promise<void> | null {
    return this.#flushed;
  }

  get pieces$(): Observable<OutputPiece> {
    return output$(this.log, this.#guard);
  }

  get lines$(): Observable<OutputLine | OutputGap> {
    return lines$(this.log, { ...this.#guard, clock: this.#deps.clock });
  }

  iterate(options: IterationOptions): AsyncGenerator<OutputPiece, void> {
    return iterateLog(this.log, parseIteration(options));
  }

  iterateChunks(options: IterationOptions): AsyncGenerator<OutputChunk, void> {
    return iterateChunks(this.log, parseIteration(options));
  }

  iterateLines(options: IterationOptions): AsyncGenerator<OutputLine, void> {
    return iterateLines(this.log, { ...parseIteration(options), clock: this.#deps.clock });
  }

  toWeb(options: IterationOptions): ReadableStream<Uint8Array<ArrayBuffer>> {
    return toWebStream(this.log, parseIteration(options));
  }

  read(options: ReadOptions = {}): OutputRead {
    return readOutput(this.log, { maxBytes: this.#plan.output.maxReplyBytes, ...options });
  }

  times(): OutputTimes {
    return this.log.times();
  }

  reader(name: string): OutputReader {
    this.#readers ??= createReaders(this.log, {
      earlier: this.#restored?.readers ?? {},
      onMoved: () => {
        if (this.#plan.output.direct) this.#deps.emit(this.#plan.id, { type: 'record.changed' });
      },
    });
    return this.#readers.get(name);
  }

  /** Positions of the named readers for the next supervisor; offsets hold only in a log that the process writes itself. */
  get readerPositions(): ReaderPositions {
    const restored = this.#restored?.readers ?? {};
    return this.#plan.output.direct ? (this.#readers?.positions() ?? restored) : restored;
  }

  view(): OutputView {
    // The output of a restored ended process was counted before it was recorded.
    if (this.#restored?.output != null) return this.#restored.output;
    const { clock } = this.#deps;
    const { bytes, lines, droppedBytes, lastOutputAtMs, logFile, degraded } = this.log.stats();
    // The file is created with the first byte; its path is known before.
    const planned = degraded === null ? (this.#plan.output.logFile?.path ?? null) : null;
    return {
      bytes,
      lines,
      droppedBytes,
      lastOutputAt:
        lastOutputAtMs === null ? null : Math.round(clock.epochMs() + lastOutputAtMs - clock.nowMs()),
      logFile: logFile ?? planned,
      degraded: degraded === null ? null : toDegradedText(degraded),
    };
  }

  /** Calls back after output has arrived, at most four times a second. */
  onGrowth(callback: () => void): Cancel {
    const { log } = this;
    const { clock } = this.#deps;
    let shownBytes = log.bytes;
    let cancelTimer: Cancel | null = null;
    const show = () => {
      cancelTimer = null;
      if (log.bytes === shownBytes) return;
      shownBytes = log.bytes;
      callback();
    };
    const cancelWrites = log.onWrite(() => {
      cancelTimer ??= clock.at(clock.nowMs() + growthIntervalMs, show, { idle: true });
    });
    return () => {
      cancelWrites();
      cancelTimer?.();
    };
  }

  /** Returns the progress that the current attempt reports. The log is searched only when it has grown since the last call. */
  progress(): ProgressView | null {
    const { bytes } = this.log;
    if (this.#progress?.atBytes !== bytes) {
      this.#progress = { atBytes: bytes, view: readLogProgress(this.log, this.attemptOffset) };
    }
    return this.#progress.view;
  }

  beginAttempt(): void {
    this.attemptOffset = this.log.bytes;
  }

  /** Marks the end. `isOpen`: leftovers or another holder of a pipe may still write; late output is accepted until `close`. */
  end({ isOpen }: { readonly isOpen: boolean }): void {
    this.log.markEnd(isOpen ? 'keep' : 'flush');
    this.log.finish();
    this.#flushed = isOpen ? this.log.flush() : this.log.close();
  }

  /** Completes all followers of a process that continues without this supervisor. */
  detach(): void {
    this.log.finish();
    this.close();
  }

  close(): void {
    void this.log.close();
  }

  #createLog(): OutputLog {
    const { clock } = this.#deps;
    const { secrets } = this.#plan.output;
    const { onSubscriberError: onListenerError } = this.#guard;
    return createOutputLog({ clock, store: this.#createStore(), secrets, onListenerError });
  }

  /** Keeps the output itself, or reads the file that the process writes, or has written. */
  #createStore(): OutputStore {
    const { output, terminal } = this.#plan;
    const { logFile, direct, maxBufferBytes, headBytes } = output;
    const { clock } = this.#deps;
    const hasEnded = this.#restored?.life.type === 'ended';
    if (logFile === null || (!direct && !hasEnded))
      return createMemoryStore({ clock, maxBufferBytes, headBytes, ...(logFile !== null && { logFile }) });
    return createFileStore({
      clock,
      ...logFile,
      isOver: hasEnded,
      stream: terminal?.type === 'terminal' ? 'screen' : 'stdout',
    });
  }

  get #guard() {
    return {
      onSubscriberError: (error: unknown) =>
        this.#deps.emit(this.#plan.id, { type: 'process.faulted', error }),
    };
  }
}

function parseIteration(input: IterationOptions): IterationOptions {
  return parseOptions(iterationOptions, { input, name: 'output' });
}
