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
/** What arrives within this time becomes one run with the time of its first byte. */
const runSpanMs = 100;

export function createKeptRuns(maxBytes: number): KeptRuns {
  /** Two streams that write single bytes in turn make a run of each: their number is bounded beside their bytes. */
  const maxRuns = Math.max(64, Math.ceil(maxBytes / 32));
  let runs: StoredRun[] = [];
  /** The number of `runs[0]`; the first `dead` entries are dropped and wait to be cut off. */
  let base = 0;
  let dead = 0;
  let total = 0;
  let dropped = 0;
  let slab = new Uint8Array(0);
  let slabUsed = 0;

  function append(bytes: Uint8Array, place: Place): void {
    const surplus = bytes.byteLength - maxBytes;
    if (surplus > 0) {
      total += surplus;
      store(bytes.subarray(surplus), {
        offset: place.offset + surplus,
        position: place.position + surplus,
        atMs: place.atMs,
      });
    } else if (bytes.byteLength > 0) store(bytes, place);
    drop();
  }

  function store(bytes: Uint8Array, { offset, position, atMs }: Place): void {
    const length = bytes.byteLength;
    const isOwn = length >= smallestOwnBytes && length * 2 >= bytes.buffer.byteLength;
    const start = isOwn ? 0 : copyToSlab(bytes);
    const last = runs.length > dead ? runs.at(-1) : undefined;
    const grows =
      !isOwn &&
      last !== undefined &&
      last.source === slab &&
      last.start + last.length === start &&
      last.offset + last.length === offset &&
      atMs - last.atMs < runSpanMs;
    if (grows) last.length += length;
    else runs.push({ offset, position, atMs, before: total, source: isOwn ? bytes : slab, start, length });
    total += length;
  }

  function copyToSlab(bytes: Uint8Array): number {
    if (slabUsed + bytes.byteLength > slab.byteLength) {
      slab = new Uint8Array(Math.max(bytes.byteLength, Math.min(slabBytes, maxBytes)));
      slabUsed = 0;
    }
    const start = slabUsed;
    slab.set(bytes, start);
    slabUsed += bytes.byteLength;
    return start;
  }

  function drop(): void {
    dropped = Math.max(dropped, total - maxBytes);
    for (let oldest = runs[dead]; oldest !== undefined; oldest = runs[dead]) {
      const isSpent = oldest.before + oldest.length <= dropped;
      if (!isSpent && runs.length - dead <= maxRuns) break;
      dropped = Math.max(dropped, oldest.before + oldest.length);
      runs[dead] = spentRun;
      dead += 1;
    }
    if (dead < 64 || dead * 2 < runs.length) return;
    runs = runs.slice(dead);
    base += dead;
    dead = 0;
  }

  function firstBeyond(by: 'offset' | 'position', count: number): number {
    let low = dead;
    let high = runs.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const run = runs[middle] ?? spentRun;
      if (run[by] + run.length > count) high = middle;
      else low = middle + 1;
    }
    return base + low;
  }

  function at(number: number): (Run & { readonly number: number }) | null {
    const index = Math.max(dead, number - base);
    const run = runs[index];
    if (run === undefined) return null;
    const skipped = Math.max(0, dropped - run.before);
    const from = run.start + skipped;
    return {
      number: base + index,
      offset: run.offset + skipped,
      position: run.position + skipped,
      atMs: run.atMs,
      bytes: run.source.subarray(from, run.start + run.length),
    };
  }

  return {
    append,
    firstBeyond,
    at,
    get keptBytes() {
      return total - dropped;
    },
    get end() {
      return base + runs.length;
    },
  };
}

const spentRun: StoredRun = {
  offset: 0,
  position: 0,
  atMs: 0,
  before: 0,
  source: new Uint8Array(0),
  start: 0,
  length: 0,
};
