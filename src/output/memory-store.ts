import type { Clock } from '../clock/clock.ts';
import { ChunkStore } from './chunk-store.ts';
import { endedText } from './log-cap.ts';
import { LogFile } from './log-file.ts';
import type { LogFileSystem } from './log-file-system.ts';
import { countNewlines } from './newline-count.ts';
import type { OutputChunk, OutputPiece, StreamPositions } from './output-chunk.ts';
import type { HeldPlace, OutputHold } from './output-holds.ts';
import { OutputRetention } from './output-retention.ts';
import type { OutputStream } from './output-sink.ts';
import { checkBytes, type OutputDegradation, type OutputStore, type StoreStats } from './output-store.ts';
import type { OutputTimes } from './output-times.ts';
import { StreamRuns } from './stream-runs.ts';

export interface MemoryStoreOptions {
  readonly clock: Clock;
  /** Bytes kept in memory for each stream, at least 1024; output after the end gets the same amount again. */
  readonly maxBufferBytes: number;
  /** Share of `maxBufferBytes` reserved for the first bytes of a stream, at most half. */
  readonly headBytes: number;
  readonly logFile?: { readonly path: string; readonly maxBytes: number; readonly files?: LogFileSystem };
  /** Called once, when the log file fails for the first time. */
  readonly onDegraded?: (degradation: OutputDegradation) => void;
}

/** Bytes read from the file in one call. */
const readBackBytes = 256 * 1024;
/** Shared by many stores. */
const settled = Promise.resolve();

/**
 * Creates a store for output that passes through this program. Memory is bounded regardless of the amount: of each
 * stream the head and the newest tail are kept, exactly `maxBufferBytes` together, and what `hold` keeps beside them.
 * The log file, if there is one, has more.
 */
export function createMemoryStore(options: MemoryStoreOptions): OutputStore {
  checkBytes('maxBufferBytes', options.maxBufferBytes, 1024);
  checkBytes('headBytes', options.headBytes, 0);
  if (options.logFile !== undefined) checkBytes('maxLogBytes', options.logFile.maxBytes, 1024);
  return new MemoryStore(options);
}

/** A class for the same reason as `OutputLog`. */
class MemoryStore implements OutputStore {
  readonly isOver = false;
  readonly watch = null;
  readonly mask = null;
  readonly onDisk = null;
  readonly lastGrowthAtMs = null;
  readonly #chunks: ChunkStore;
  readonly #file: LogFile | null;
  readonly #runs = new StreamRuns();
  #lines = 0;
  #isEnded = false;
  #hasNotedEnd = false;
  #isPaused = false;
  #isEnding = false;
  /** Created for the first reader that loses nothing. */
  #retention: OutputRetention | null = null;

  constructor({ clock, logFile, onDegraded, ...kept }: MemoryStoreOptions) {
    this.#chunks = new ChunkStore(kept);
    this.#file =
      logFile === undefined
        ? null
        : new LogFile({
            ...{ ...logFile, clock, onProgress: () => this.#retention?.update() },
            ...(onDegraded === undefined ? {} : { onDegraded }),
          });
  }

  get bytes(): number {
    return this.#chunks.bytes;
  }

  get positions(): StreamPositions {
    return this.#chunks.positions;
  }

  get keptBytes(): number {
    return this.#chunks.keptBytes;
  }

  get logFile(): string | null {
    return this.#file?.path ?? null;
  }

  get missingInFile(): number {
    return this.#file?.missingBytes ?? this.bytes;
  }

  get isBackpressured(): boolean {
    return this.#isPaused || this.#retention?.isWaiting === true;
  }

  stats(): StoreStats {
    const { bytes, droppedBytes } = this.#chunks;
    return {
      ...{ bytes, droppedBytes, lines: this.#lines },
      logFile: this.logFile,
      degraded: this.#file?.degraded ?? null,
    };
  }

  times(): OutputTimes {
    return this.#file?.times() ?? { marks: [], lastAt: null };
  }

  append(stream: OutputStream, bytes: Uint8Array, atMs: number): boolean {
    const label = { atMs, afterEnd: this.#isEnded };
    this.#lines += countNewlines(bytes);
    if (this.#file !== null) {
      const { bytes: offset, positions } = this.#chunks;
      this.#runs.add({ stream, offset, position: positions[stream], ...label }, bytes.byteLength);
    }
    this.#chunks.append(stream, bytes, label);
    const isWritten = this.#file === null || this.#writeTo(this.#file, bytes);
    this.#retention?.update();
    return isWritten && this.#retention?.isWaiting !== true;
  }

  #writeTo(file: LogFile, bytes: Uint8Array): boolean {
    if (this.#isEnded && !this.#hasNotedEnd) {
      file.note(endedText);
      this.#hasNotedEnd = true;
    }
    const isWritten = file.write(bytes);
    if (isWritten) return true;
    this.#isPaused = true;
    file.whenWritable(() => {
      this.#isPaused = false;
    });
    return false;
  }

  whenWritable(callback: () => void): void {
    const whenStored = () => {
      if (this.#file === null) queueMicrotask(callback);
      else this.#file.whenWritable(callback);
    };
    if (this.#retention === null) whenStored();
    else this.#retention.whenFree(whenStored);
  }

  setEnded(isEnded: boolean): void {
    this.#isEnded = isEnded;
    this.#hasNotedEnd = false;
  }

  setEnding(isEnding: boolean): void {
    this.#isEnding = isEnding;
    this.#retention?.setEnding(isEnding);
  }

  read(from: StreamPositions, streams: readonly OutputStream[]): Iterable<OutputPiece> {
    return this.#chunks.forward(from, streams);
  }

  readBackward(streams: readonly OutputStream[]): Iterable<OutputChunk> {
    return this.#chunks.backward(streams);
  }

  async readBack(
    positions: StreamPositions,
    { before, streams }: { readonly before: number; readonly streams: readonly OutputStream[] },
  ): Promise<OutputPiece | null> {
    const file = this.#file;
    const place = file === null ? null : this.#runs.find(positions, streams);
    if (file === null || place === null || place.offset >= before) return null;
    const { stream, offset, position, atMs, afterEnd } = place;
    const length = Math.min(place.length, readBackBytes, before - offset);
    let found = await file.read(offset, length);
    if (found === null) {
      await file.flush();
      found = await file.read(offset, length);
    }
    if (found === null) return null;
    if (!('missingTo' in found))
      return { type: 'chunk', stream, offset, position, bytes: found, atMs, afterEnd };
    // The gap ends where memory has the output again.
    const [kept] = this.#chunks.forward(positions, [stream]);
    const maxBytes = kept?.type === 'gap' ? kept.droppedBytes : 0;
    const droppedBytes = Math.min(found.missingTo - offset, place.length, maxBytes);
    if (droppedBytes === 0) return null;
    return { type: 'gap', stream, from: offset, to: offset + droppedBytes, position, droppedBytes };
  }

  positionsAt(offset: number): StreamPositions {
    return this.#chunks.positionsAt(offset);
  }

  drop(tailBytes: number): void {
    this.#chunks.shrink(tailBytes);
  }

  hold(place: HeldPlace): OutputHold {
    if (this.#retention === null) {
      this.#retention = new OutputRetention({ store: this.#chunks, file: this.#file, runs: this.#runs });
      this.#retention.setEnding(this.#isEnding);
    }
    return this.#retention.hold(place);
  }

  flush(): Promise<void> {
    return this.#file?.flush() ?? settled;
  }

  close(): Promise<void> {
    return this.#file?.close() ?? settled;
  }
}
