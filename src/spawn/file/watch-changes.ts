import { watch } from 'node:fs';
import type { Cancel } from '../../clock/clock.ts';

/** Calls back whenever the file changes. Where that cannot be watched, looking from time to time must do. Keeps nothing alive. */
export function watchChanges(path: string, onChange: () => void): Cancel {
  try {
    const watcher = watch(path, { persistent: false }, onChange);
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  } catch {
    return () => {};
  }
}
