import { type FSWatcher, watch } from 'node:fs';
import type { Cancel, Clock } from '../clock/clock.ts';
import { notifyListeners } from './call-listeners.ts';
import type { TailedFile } from './tailed-file.ts';

/** Pause while the file does not exist yet; doubles each time. */
const firstPauseMs = 10;
/** Pause beside a watch, which some file systems never notify. */
const slowPauseMs = 1_000;

/** Calls back, at least once, soon after the file may have grown. Keeps nothing alive. */
function watchGrowth(path: string, { clock, onChange }: { clock: Clock; onChange: () => void }): Cancel {
  let watcher: FSWatcher | null = null;
  let pauseMs = firstPauseMs;
  let cancelTimer: Cancel = () => {};

  function look(): void {
    if (watcher === null) open();
    pauseMs = watcher === null ? Math.min(pauseMs * 2, slowPauseMs) : slowPauseMs;
    cancelTimer = clock.at(clock.nowMs() + pauseMs, look, { idle: true });
    onChange();
  }

  function open(): void {
    try {
      watcher = watch(path, { persistent: false }, onChange);
      watcher.on('error', close);
    } catch {
      // The file does not exist, or there are too many watches: the file is polled.
    }
  }

  function close(): void {
    watcher?.close();
    watcher = null;
  }

  open();
  cancelTimer = clock.at(clock.nowMs() + firstPauseMs, look, { idle: true });
  return () => {
    cancelTimer();
    close();
  };
}

/** Listeners that are notified when a file has grown; the file is watched only while there are any. */
export class GrowthListeners {
  readonly #file: Pick<TailedFile, 'path' | 'bytes' | 'readError'>;
  readonly #clock: Clock;
  readonly #onError: ((error: unknown) => void) | undefined;
  #listeners: Set<() => void> | null = null;
  #cancelWatch: Cancel | null = null;
  #notifiedBytes = 0;
  #isClosed = false;

  constructor({
    file,
    clock,
    onError,
  }: {
    file: Pick<TailedFile, 'path' | 'bytes' | 'readError'>;
    clock: Clock;
    onError: ((error: unknown) => void) | undefined;
  }) {
    this.#file = file;
    this.#clock = clock;
    this.#onError = onError;
  }

  add(listener: () => void): Cancel {
    const own = () => listener();
    this.#listeners ??= new Set();
    this.#listeners.add(own);
    this.#watch();
    return () => {
      this.#listeners?.delete(own);
      if (this.#listeners?.size === 0) this.#unwatch();
    };
  }

  notify(): void {
    notifyListeners(this.#listeners, this.#onError);
  }

  /** Stops watching for good. */
  close(): void {
    this.#isClosed = true;
    this.#unwatch();
  }

  #watch(): void {
    if (this.#cancelWatch !== null || this.#isClosed) return;
    this.#notifiedBytes = this.#file.bytes();
    this.#cancelWatch = watchGrowth(this.#file.path, {
      clock: this.#clock,
      onChange: () => {
        const bytes = this.#file.bytes();
        // After a failed read, listeners are notified again although nothing has arrived.
        if (bytes === this.#notifiedBytes && this.#file.readError === null) return;
        this.#notifiedBytes = bytes;
        this.notify();
      },
    });
  }

  #unwatch(): void {
    this.#cancelWatch?.();
    this.#cancelWatch = null;
  }
}
