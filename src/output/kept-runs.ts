/** Where bytes stand: `offset` counts the bytes of all streams before them, `position` those of their own stream. */
export interface Place {
  readonly offset: number;
  readonly position: number;
  /** `nowMs` when the first of them arrived. */
  readonly atMs: number;
}

/** Bytes without a break in either count. */
export interface Run extends Place {
  readonly bytes: Uint8Array;
}

/**
 * The newest bytes of one origin: exactly the last `maxBytes`, however they were cut when they came. Runs are numbered from 0
 * and keep their numbers when older ones are dropped, so that a reader can go on where it was.
 */
export interface KeptRuns {
  /** The caller must not change the bytes afterwards. */
  append(bytes: Uint8Array, place: Place): void;
  readonly keptBytes: number;
  /** From now on keeps less. */
  shrink(maxBytes: number): void;
  /** The number of the run that comes next: one more than the newest. */
  readonly end: number;
  /** The number of the first run that reaches beyond the count, or `end`. */
  firstBeyond(by: 'offset' | 'position', count: number): number;
  /** The run with this number or, when it has been dropped, the oldest one; `null` from `end` on. */
  at(number: number): (Run & { readonly number: number }) | null;
}

interface StoredRun extends Place {
  /** Bytes of this origin before the run. */
  readonly before: number;
  readonly source: Uint8Array;
  readonly start: number;
  /** Grows while the run is the newest. */
  length: number;
}

/** Smaller pieces are copied together: a Buffer of its own costs some 200 bytes beside its content. */
const smallestOwnBytes = 8 * 1024;
const slabBytes = 16 * 1024;
/** The first one is small and each next one twice as large: most processes say little. */
const firstSlabBytes = 1024;
const emptySlab = new Uint8Array(0);
/** What arrives within this time becomes one run with the time of its first byte. */
const runSpanMs = 100;

export function createKeptRuns(maxBytes: number): KeptRuns {
  return new KeptRunList(maxBytes);
}

/** A class, because there are several for each process: methods of their own would be most of what they cost. */
class KeptRunList implements KeptRuns {
  #maxBytes: number;
  /** Two streams that write single bytes in turn make a run of each: their number is bounded beside their bytes. */
  readonly #maxRuns: number;
  #runs: StoredRun[] = [];
  /** The number of `runs[0]`; the first `dead` entries are dropped and wait to be cut off. */
  #base = 0;
  #dead = 0;
  #total = 0;
  #dropped = 0;
  #slab = emptySlab;
  #slabUsed = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#maxRuns = Math.max(64, Math.ceil(maxBytes / 32));
  }

  get keptBytes(): number {
    return this.#total - this.#dropped;
  }

  get end(): number {
    return this.#base + this.#runs.length;
  }

  append(bytes: Uint8Array, place: Place): void {
    const surplus = bytes.byteLength - this.#maxBytes;
    if (surplus > 0) {
      this.#total += surplus;
      this.#store(bytes.subarray(surplus), {
        offset: place.offset + surplus,
        position: place.position + surplus,
        atMs: place.atMs,
      });
    } else if (bytes.byteLength > 0) this.#store(bytes, place);
    this.#drop();
  }

  shrink(maxBytes: number): void {
    this.#maxBytes = Math.min(this.#maxBytes, maxBytes);
    this.#drop();
  }

  firstBeyond(by: 'offset' | 'position', count: number): number {
    let low = this.#dead;
    let high = this.#runs.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const run = this.#runs[middle] ?? spentRun;
      if (run[by] + run.length > count) high = middle;
      else low = middle + 1;
    }
    return this.#base + low;
  }

  at(number: number): (Run & { readonly number: number }) | null {
    const index = Math.max(this.#dead, number - this.#base);
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

  #store(bytes: Uint8Array, { offset, position, atMs }: Place): void {
    const length = bytes.byteLength;
    const isOwn = length >= smallestOwnBytes && length * 2 >= bytes.buffer.byteLength;
    const start = isOwn ? 0 : this.#copyToSlab(bytes);
    const slab = this.#slab;
    const last = this.#runs.length > this.#dead ? this.#runs.at(-1) : undefined;
    const grows =
      !isOwn &&
      last !== undefined &&
      last.source === slab &&
      last.start + last.length === start &&
      last.offset + last.length === offset &&
      atMs - last.atMs < runSpanMs;
    if (grows) last.length += length;
    else {
      const source = isOwn ? bytes : slab;
      this.#runs.push({ offset, position, atMs, before: this.#total, source, start, length });
    }
    this.#total += length;
  }

  #copyToSlab(bytes: Uint8Array): number {
    if (this.#slabUsed + bytes.byteLength > this.#slab.byteLength) {
      const wanted = Math.min(Math.max(2 * this.#slab.byteLength, firstSlabBytes), slabBytes, this.#maxBytes);
      this.#slab = new Uint8Array(Math.max(bytes.byteLength, wanted));
      this.#slabUsed = 0;
    }
    const start = this.#slabUsed;
    this.#slab.set(bytes, start);
    this.#slabUsed += bytes.byteLength;
    return start;
  }

  #drop(): void {
    this.#dropped = Math.max(this.#dropped, this.#total - this.#maxBytes);
    for (let oldest = this.#runs[this.#dead]; oldest !== undefined; oldest = this.#runs[this.#dead]) {
      const isSpent = oldest.before + oldest.length <= this.#dropped;
      if (!isSpent && this.#runs.length - this.#dead <= this.#maxRuns) break;
      this.#dropped = Math.max(this.#dropped, oldest.before + oldest.length);
      this.#runs[this.#dead] = spentRun;
      this.#dead += 1;
    }
    if (this.#dead < 64 || this.#dead * 2 < this.#runs.length) return;
    this.#runs = this.#runs.slice(this.#dead);
    this.#base += this.#dead;
    this.#dead = 0;
  }
}

const spentRun: StoredRun = {
  offset: 0,
  position: 0,
  atMs: 0,
  before: 0,
  source: emptySlab,
  start: 0,
  length: 0,
};
