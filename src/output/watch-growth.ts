import { type FSWatcher, watch } from 'node:fs';
import type { Cancel, Clock } from '../clock/clock.ts';
import type { TailedFile } from './tailed-file.ts';

/** Pause while the file does not exist yet; doubles each time. */
const firstPauseMs = 10;
/** Pause beside a watch, which some file systems never notify. */
const slowPauseMs = 1_000;

/** Calls back soon after the file has grown, and after a failed read. Keeps nothing alive. */
export function watchGrowth(
  file: Pick<TailedFile, 'path' | 'bytes' | 'readError'>,
  { clock, onGrowth }: { clock: Clock; onGrowth: () => void },
): Cancel {
  let knownBytes = file.bytes();
  let watcher: FSWatcher | null = null;
  let pauseMs = firstPauseMs;
  let cancelTimer: Cancel = () => {};

  function look(): void {
    if (watcher === null) open();
    pauseMs = watcher === null ? Math.min(pauseMs * 2, slowPauseMs) : slowPauseMs;
    cancelTimer = clock.at(clock.nowMs() + pauseMs, look, { idle: true });
    compare();
  }

  function compare(): void {
    const bytes = file.bytes();
    // After a failed read, readers try again although nothing has arrived.
    if (bytes === knownBytes && file.readError === null) return;
    knownBytes = bytes;
    onGrowth();
  }

  function open(): void {
    try {
      watcher = watch(file.path, { persistent: false }, compare);
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
