import { join } from 'node:path';
import { toDraftPid } from './draft-name.ts';
import { isRunning } from './program.ts';
import type { RecordFiles } from './record-files.ts';

/** A save takes less than a millisecond. A writer in another pid namespace looks dead from here, so the time has to tell. */
const maxAgeMs = 3_600_000;

/** Takes away what writers left that died in the middle of a save. What cannot be removed stays. */
export function removeOldDrafts({
  directory,
  names,
  files,
  nowAt,
}: {
  readonly directory: string;
  readonly names: readonly string[];
  readonly files: RecordFiles;
  /** Milliseconds since the epoch. */
  readonly nowAt: number;
}): void {
  for (const name of names) {
    const pid = toDraftPid(name);
    if (pid === null) continue;
    const path = join(directory, name);
    try {
      if (nowAt - files.writtenAt(path) > maxAgeMs && !isRunning({ pid, startedAt: null }))
        files.remove(path);
    } catch {
      // Somebody was quicker, or it is not ours.
    }
  }
}
