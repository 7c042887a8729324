import { join } from 'node:path';
import type { Cancel } from '../clock/clock.ts';
import { TroupeError } from '../config/troupe-error.ts';
import { lockFile } from '../store/file-lock.ts';
import { makeDirectory } from '../store/make-directory.ts';
import type { StatePaths } from '../store/state-paths.ts';

/** Whoever takes over records holds the lock for milliseconds. */
const WAIT_MS = 2_000;
const STEP_MS = 10;

/**
 * Keeps other supervisors from taking over records at the same time. Waits for one that does, without letting anything else
 * happen in this program.
 *
 * @throws TroupeError `state-directory`; what the system says where the directory cannot be made.
 */
export function lockDirectory({ directory }: StatePaths): Cancel {
  makeDirectory(directory);
  const untilMs = performance.now() + WAIT_MS;
  for (;;) {
    try {
      return lockFile(join(directory, 'recovery'), {
        code: 'state-directory',
        advice: 'it takes over the records of this directory, and does not finish: end it, and try again',
      });
    } catch (error) {
      if (!(error instanceof TroupeError) || performance.now() > untilMs) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STEP_MS);
    }
  }
}
