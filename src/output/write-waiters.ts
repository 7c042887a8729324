import type { Cancel, Clock } from '../clock/clock.ts';

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
