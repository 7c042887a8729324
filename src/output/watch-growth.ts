import { type FSWatcher, watch } from 'node:fs';
import type { Cancel, Clock } from '../clock/clock.ts';

/** While the file cannot be watched, as it is not there yet; each pause is twice as long. */
const firstPauseMs = 10;
/** Beside a watch, which some file systems keep silent. */
const slowPauseMs = 1_000;

/** Calls back, once or more often, soon after the file may have grown. Keeps nothing alive. */
export function watchGrowth(
  path: string,
  { clock, onChange }: { clock: Clock; onChange: () => void },
): Cancel {
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
      // It is not there, or there are too many watches: then looking must do.
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
