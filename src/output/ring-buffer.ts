/**
 * The place of bytes: `offset` counts the bytes of all streams before them, `position` those of their own
 * stream.
 */
interface RunStart {
  readonly offset: number;
  readonly position: number;
  /** `nowMs` when the first of them arrived. */
  readonly atMs: number;
}

/** Bytes that are contiguous in both counts. */
export interface Run extends RunStart {
  readonly bytes: Uint8Array;
}

/** The counts at which the retained bytes of one source begin: bytes before either one may be dropped. */
interface RetainedFrom {
  readonly position: number;
  readonly offset: number;
}

interface StoredRun extends RunStart {
  /** Bytes of this source before the run. */
  readonly before: number;
  readonly source: Uint8Array;
  readonly start: number;
  /** Grows while the run is the newest. */
  length: number;
}

/** Smaller pieces are copied together: a separate Buffer costs some 200 bytes beside its content. */
const smallestOwnBytes = 8 * 1024;
const arenaBytes = 16 * 1024;
/** Arenas start small and double, because most processes print little. */
const firstArenaBytes = 1024;
const emptyArena = new Uint8Array(0);
/** Content per run at which both limits are reached together. */
const bytesPerRun = 32;
/** Output within this time becomes one run with the time of its first byte. */
const runSpanMs = 100;

/**
 * The newest bytes of one source: exactly the last `maxBytes`, regardless of chunk boundaries. Runs are
 * numbered from 0 and keep their numbers when older ones are dropped, so that a reader can continue where it
 * was. A class, because each process has several: separate closures would be most of their cost.
 */
export class RingBuffer {
  #maxBytes: number;
  /** Bounds the number of runs, too: two streams that alternate single bytes create a run for each. */
  readonly #maxRuns: number;
  #runs: StoredRun[] = [];
  /** The number of `runs[0]`; the first `spent` entries are dropped and waiting to be removed. */
  #base = 0;
  #spent = 0;
  #total = 0;
  #dropped = 0;
  #arena = emptyArena;
  #arenaUsed = 0;
  #retained: RetainedFrom | null = null;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#maxRuns = Math.max(64, Math.ceil(maxBytes / bytesPerRun));
  }

  get keptBytes(): number {
    return this.#total - this.#dropped;
  }

  /** The number of the next run. */
  get end(): number {
    return this.#base + this.#runs.length;
  }

  /** Takes ownership of the bytes. */
  append(bytes: Uint8Array, place: RunStart): void {
    const surplus = bytes.byteLength - this.#maxBytes;
    if (surplus > 0 && this.#retained === null) {
      this.#total += surplus;
      this.#store(bytes.subarray(surplus), {
        offset: place.offset + surplus,
        position: place.position + surplus,
        atMs: place.atMs,
      });
    } else if (bytes.byteLength > 0) this.#store(bytes, place);
    this.#drop();
  }

  /** Lowers the limit. */
  shrink(maxBytes: number): void {
    this.#maxBytes = Math.min(this.#maxBytes, maxBytes);
    this.#drop();
  }

  /** Retains the bytes after both counts, even beyond the limit; `null` retains none. Drops bytes that are no longer retained. */
  retain(from: RetainedFrom | null): void {
    this.#retained = from;
    this.#drop();
  }

  /** Bytes kept beyond the limit because they are retained; a run beyond the limit of runs counts as well. */
  get surplusBytes(): number {
    const surplusRuns = this.#runs.length - this.#spent - this.#maxRuns;
    return Math.max(0, this.keptBytes - this.#maxBytes, surplusRuns * bytesPerRun);
  }

  /** Returns the number of the first run that reaches beyond the count, or `end`. */
  firstBeyond(by: 'offset' | 'position', count: number): number {
    let low = this.#spent;
    let high = this.#runs.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const run = this.#runs[middle] ?? emptyRun;
      if (run[by] + run.length > count) high = middle;
      else low = middle + 1;
    }
    return this.#base + low;
  }

  /** Returns the run with this number, or the oldest one if it was dropped; `null` from `end` on. */
  at(number: number): (Run & { readonly number: number }) | null {
    const index = Math.max(this.#spent, number - this.#base);
    const run = this.#runs[index];
    if (run === undefined) return null;
    const skipped = Math.max(0, this.#dropped - run.before);
    const from = run.start + skipped;
    return {
      number: this.#base + index,
      offset: run.offset + skipped,
      position: run.position + skipped,
      atMs: run.atMs,
      bytes: run.source.subarray(from, run.start + run.length),
    };
  }

  #store(bytes: Uint8Array, { offset, position, atMs }: RunStart): void {
    const length = bytes.byteLength;
    const isOwn = length >= smallestOwnBytes && length * 2 >= bytes.buffer.byteLength;
    const start = isOwn ? 0 : this.#copyToArena(bytes);
    const arena = this.#arena;
    const last = this.#runs.length > this.#spent ? this.#runs.at(-1) : undefined;
    const grows =
      !isOwn &&
      last !== undefined &&
      last.source === arena &&
      last.start + last.length === start &&
      last.offset + last.length === offset &&
      atMs - last.atMs < runSpanMs;
    if (grows) last.length += length;
    else {
      const source = isOwn ? bytes : arena;
      this.#runs.push({ offset, position, atMs, before: this.#total, source, start, length });
    }
    this.#total += length;
  }

  #copyToArena(bytes: Uint8Array): number {
    if (this.#arenaUsed + bytes.byteLength > this.#arena.byteLength) {
      const wanted = Math.min(
        Math.max(2 * this.#arena.byteLength, firstArenaBytes),
        arenaBytes,
        this.#maxBytes,
      );
      this.#arena = new Uint8Array(Math.max(bytes.byteLength, wanted));
      this.#arenaUsed = 0;
    }
    const start = this.#arenaUsed;
    this.#arena.set(bytes, start);
    this.#arenaUsed += bytes.byteLength;
    return start;
  }

  #drop(): void {
    const goal = this.#total - this.#maxBytes;
    this.#dropped = Math.max(this.#dropped, Math.min(goal, this.#droppableUpTo(goal)));
    for (let oldest = this.#runs[this.#spent]; oldest !== undefined; oldest = this.#runs[this.#spent]) {
      const isSpent = oldest.before + oldest.length <= this.#dropped;
      const isTooMany = this.#runs.length - this.#spent > this.#maxRuns;
      if (!isSpent && !(isTooMany && this.#droppableIn(oldest) === oldest.length)) break;
      this.#dropped = Math.max(this.#dropped, oldest.before + oldest.length);
      this.#runs[this.#spent] = emptyRun;
      this.#spent += 1;
    }
    if (this.#spent < 64 || this.#spent * 2 < this.#runs.length) return;
    this.#runs = this.#runs.slice(this.#spent);
    this.#base += this.#spent;
    this.#spent = 0;
  }

  /** Returns how many bytes of this source may go, at least up to `goal` if that many. */
  #droppableUpTo(goal: number): number {
    if (this.#retained === null) return goal;
    for (let index = this.#spent; index < this.#runs.length; index += 1) {
      const run = this.#runs[index] ?? emptyRun;
      if (run.before >= goal) return goal;
      const droppable = this.#droppableIn(run);
      if (droppable < run.length) return run.before + droppable;
    }
    return goal;
  }

  #droppableIn({ position, offset, length }: StoredRun): number {
    const from = this.#retained;
    if (from === null) return length;
    return Math.min(length, Math.max(0, from.position - position, from.offset - offset));
  }
}

const emptyRun: StoredRun = {
  offset: 0,
  position: 0,
  atMs: 0,
  before: 0,
  source: emptyArena,
  start: 0,
  length: 0,
};
