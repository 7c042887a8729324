import type { Cancel, Clock } from '../clock/clock.ts';

/** Bytes waiting for the disk, in order. */
interface WriteQueue {
  readonly bytes: number;
  add(bytes: Uint8Array): void;
  /** Removes at most this many bytes, but at least one piece if there is any. */
  take(maxBytes: number): Uint8Array[];
  /** Puts back pieces that could not be written, before all others. */
  restore(pieces: readonly Uint8Array[]): void;
  /** Drops this many of the oldest bytes. */
  skip(bytes: number): void;
}

/** Smaller pieces are copied together, so that a flood of single bytes does not become a flood of buffers. */
const smallestOwnBytes = 4 * 1024;
const arenaBytes = 16 * 1024;
/** A writev takes at most IOV_MAX pieces (1024 on Linux and macOS). */
const maxPieces = 1_000;

export function createWriteQueue(): WriteQueue {
  let pieces: Uint8Array[] = [];
  let first = 0;
  let total = 0;
  let arena = new Uint8Array(0);
  let arenaFrom = 0;
  let arenaTo = 0;

  function add(bytes: Uint8Array): void {
    total += bytes.byteLength;
    if (bytes.byteLength >= smallestOwnBytes) {
      seal();
      pieces.push(bytes);
      return;
    }
    if (arenaTo + bytes.byteLength > arena.byteLength) {
      seal();
      arena = new Uint8Array(arenaBytes);
      arenaFrom = 0;
      arenaTo = 0;
    }
    arena.set(bytes, arenaTo);
    arenaTo += bytes.byteLength;
  }

  /** Turns the collected bytes into a piece; the rest of the arena stays in use. */
  function seal(): void {
    if (arenaTo > arenaFrom) pieces.push(arena.subarray(arenaFrom, arenaTo));
    arenaFrom = arenaTo;
  }

  function take(maxBytes: number): Uint8Array[] {
    seal();
    const taken: Uint8Array[] = [];
    let room = maxBytes;
    for (let piece = pieces[first]; piece !== undefined && room > 0; piece = pieces[first]) {
      if (taken.length === maxPieces) break;
      const part = piece.subarray(0, room);
      if (part.byteLength < piece.byteLength) pieces[first] = piece.subarray(room);
      else first += 1;
      room -= part.byteLength;
      total -= part.byteLength;
      taken.push(part);
    }
    if (first === pieces.length || first > 1_000) {
      pieces = pieces.slice(first);
      first = 0;
    }
    return taken;
  }

  function restore(returned: readonly Uint8Array[]): void {
    pieces = [...returned, ...pieces.slice(first)];
    first = 0;
    total += returned.reduce((sum, piece) => sum + piece.byteLength, 0);
  }

  function skip(bytes: number): void {
    for (let left = bytes; left > 0 && total > 0; ) {
      left -= take(left).reduce((sum, piece) => sum + piece.byteLength, 0);
    }
  }

  return {
    add,
    take,
    restore,
    skip,
    get bytes() {
      return total;
    },
  };
}

/** Drops the first bytes of the pieces, since a disk that fills up accepts only a part. */
export function dropLeading(pieces: readonly Uint8Array[], bytes: number): readonly Uint8Array[] {
  let skip = bytes;
  let index = 0;
  for (let piece = pieces[index]; piece !== undefined && piece.byteLength <= skip; piece = pieces[index]) {
    skip -= piece.byteLength;
    index += 1;
  }
  const [cut, ...rest] = pieces.slice(index);
  return cut === undefined ? [] : [cut.subarray(skip), ...rest];
}

/** Sources that are paused until the disk has caught up, but never longer than a time limit. */
export class PausedSources {
  #cancelLimit: Cancel | null = null;
  #waiting: (() => void)[] = [];

  get isPaused(): boolean {
    return this.#cancelLimit !== null;
  }

  /** Pauses unless already paused; `onLimit` is called if nothing has resumed within `limitMs`. */
  pause(clock: Clock, { limitMs, onLimit }: { limitMs: number; onLimit: () => void }): void {
    this.#cancelLimit ??= clock.at(clock.nowMs() + limitMs, onLimit, { idle: true });
  }

  /** Calls back once, when sources may resume. */
  whenResumed(callback: () => void): void {
    if (this.isPaused) this.#waiting.push(callback);
    else queueMicrotask(callback);
  }

  resume(): void {
    this.#cancelLimit?.();
    this.#cancelLimit = null;
    const callbacks = this.#waiting;
    this.#waiting = [];
    for (const callback of callbacks) queueMicrotask(callback);
  }
}

/** Callers that wait until everything written before their call is settled. */
export class PendingFlushes {
  #flushes: { readonly upTo: number; settle(): void }[] = [];

  /** Resolves once `upTo` bytes are settled, or after `limitMs`. */
  add(clock: Clock, { upTo, limitMs }: { upTo: number; limitMs: number }): Promise<void> {
    return new Promise((resolve) => {
      const cancel = clock.at(clock.nowMs() + limitMs, resolve);
      const settle = () => {
        cancel();
        resolve();
      };
      this.#flushes.push({ upTo, settle });
    });
  }

  settle(settledBytes: number): void {
    if (this.#flushes.length === 0) return;
    for (const { upTo, settle } of this.#flushes) if (upTo <= settledBytes) settle();
    this.#flushes = this.#flushes.filter(({ upTo }) => upTo > settledBytes);
  }
}
