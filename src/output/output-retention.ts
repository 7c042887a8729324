import type { ChunkStore } from './chunk-store.ts';
import type { LogFile } from './log-file.ts';
import { type HeldPlace, type OutputHold, OutputHolds } from './output-holds.ts';
import type { StreamRuns } from './stream-runs.ts';

/** Bytes beyond the limit of memory that may wait for the log file. */
const queuedBytes = 2 * 1024 * 1024;
/** Bytes accepted beyond all limits from an ending process: its pipes hold at most 1 MiB each. */
const finalBytes = 4 * 1024 * 1024;

/** Keeps in memory, or in the log file, what readers still need, and makes the source wait where neither has room. */
export class OutputRetention {
  readonly #store: ChunkStore;
  readonly #file: LogFile | null;
  readonly #runs: StreamRuns;
  readonly #holds = new OutputHolds(() => this.update());
  #isEnding = false;
  #isWaiting = false;
  #waiting: (() => void)[] = [];

  constructor({ store, file, runs }: { store: ChunkStore; file: LogFile | null; runs: StreamRuns }) {
    this.#store = store;
    this.#file = file;
    this.#runs = runs;
  }

  /** True while the source is to wait. */
  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  hold(place: HeldPlace): OutputHold {
    const hold = this.#holds.add(place);
    this.update();
    return hold;
  }

  /** Accepts what an ending process has left in its pipes, so that it can end while a reader is slow. */
  setEnding(isEnding: boolean): void {
    this.#isEnding = isEnding;
    this.update();
  }

  /** Calls back once, when the source need not wait. */
  whenFree(callback: () => void): void {
    if (this.#isWaiting) this.#waiting.push(callback);
    else queueMicrotask(callback);
  }

  /** To be called when output has arrived, was written to the file, or is no longer needed. */
  update(): void {
    this.#retain();
    const extraBytes = this.#isEnding ? finalBytes : 0;
    const roomBytes = extraBytes + (this.#file === null ? 0 : queuedBytes);
    this.#isWaiting =
      this.#store.surplusBytes > roomBytes || (this.#file !== null && this.#file.surplusBytes > extraBytes);
    if (this.#isWaiting || this.#waiting.length === 0) return;
    const callbacks = this.#waiting;
    this.#waiting = [];
    for (const callback of callbacks) queueMicrotask(callback);
  }

  #retain(): void {
    if (this.#holds.isEmpty) {
      this.#store.retain(null);
      this.#file?.retain(Number.POSITIVE_INFINITY);
      return;
    }
    // Output is readable in the file once it is written and its stream is known.
    const offset = this.#file === null ? 0 : Math.min(this.#file.storedBytes, this.#runs.end);
    this.#store.retain({ positions: this.#holds.neededPositions(), offset });
    this.#file?.retain(this.#holds.neededOffset(this.#store.positions));
  }
}
