import type { Cancel, Clock } from '../clock/clock.ts';

/** Smaller pieces are copied together, so that a flood of single bytes does not become a flood of buffers. */
const smallestOwnBytes = 4 * 1024;
const arenaBytes = 16 * 1024;
/** A writev takes at most IOV_MAX pieces (1024 on Linux and macOS). */
const maxPieces = 1_000;

/** Bytes waiting for the disk, in order. */
export class WriteQueue {
  #pieces: Uint8Array[] = [];
  #first = 0;
  #bytes = 0;
  #arena = new Uint8Array(0);
  #arenaFrom = 0;
  #arenaTo = 0;

  get bytes(): number {
    return this.#bytes;
  }

  add(bytes: Uint8Array): void {
    this.#bytes += bytes.byteLength;
    if (bytes.byteLength >= smallestOwnBytes) {
      this.#seal();
      this.#pieces.push(bytes);
      return;
    }
    if (this.#arenaTo + bytes.byteLength > this.#arena.byteLength) {
      this.#seal();
      this.#arena = new Uint8Array(arenaBytes);
      this.#arenaFrom = 0;
      this.#arenaTo = 0;
    }
    this.#arena.set(bytes, this.#arenaTo);
    this.#arenaTo += bytes.byteLength;
  }

  /** Turns the collected bytes into a piece; the rest of the arena stays in use. */
  #seal(): void {
    if (this.#arenaTo > this.#arenaFrom)
      this.#pieces.push(this.#arena.subarray(this.#arenaFrom, this.#arenaTo));
    this.#arenaFrom = this.#arenaTo;
  }

  /** Removes at most this many bytes, but at least one piece if there is any. */
  take(maxBytes: number): Uint8Array[] {
    this.#seal();
    const taken: Uint8Array[] = [];
    let room = maxBytes;
    while (room > 0 && taken.length < maxPieces) {
      const piece = this.#pieces[this.#first];
      if (piece === undefined) break;
      const part = piece.subarray(0, room);
      if (part.byteLength < piece.byteLength) this.#pieces[this.#first] = piece.subarray(room);
      else this.#first += 1;
      room -= part.byteLength;
      this.#bytes -= part.byteLength;
      taken.push(part);
    }
    if (this.#first === this.#pieces.length || this.#first > 1_000) this.#removeTaken();
    return taken;
  }

  /** Puts back pieces that could not be written, before all others. */
  restore(pieces: readonly Uint8Array[]): void {
    this.#removeTaken();
    this.#pieces.unshift(...pieces);
    this.#bytes += pieces.reduce((sum, piece) => sum + piece.byteLength, 0);
  }

  /** Drops this many of the oldest bytes. */
  skip(bytes: number): void {
    for (let left = bytes; left > 0 && this.#bytes > 0; ) {
      left -= this.take(left).reduce((sum, piece) => sum + piece.byteLength, 0);
    }
  }

  #removeTaken(): void {
    this.#pieces = this.#pieces.slice(this.#first);
    this.#first = 0;
  }
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
