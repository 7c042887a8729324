import { join } from 'node:path';
import type { Cancel } from '../clock/clock.ts';
import { TroupeError } from '../config/troupe-error.ts';
import { lockFile } from '../store/file-lock.ts';
import { makeDirectory } from '../store/make-directory.ts';
import type { StatePaths } from '../store/state-paths.ts';

/** A supervisor that adopts records holds the lock for milliseconds. */
const WAIT_MS = 2_000;
const STEP_MS = 10;

/**
 * Locks out other supervisors that would adopt records. Blocks this program while another one holds the lock.
 *
 * @throws TroupeError `state-directory`; the error of the system if the directory cannot be created.
 */
export function lockDirectory({ directory }: StatePaths): Cancel {
  makeDirectory(directory);
  const untilMs = performance.now() + WAIT_MS;
  for (;;) {
    try {
      return lockFile(join(directory, 'recovery'), {
        code: 'state-directory',
        advice: 'it adopts the records of this directory and does not finish. End it, and try again',
      });
    } catch (error) {
      if (!(error instanceof TroupeError) || performance.now() > untilMs) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STEP_MS);
    }
  }
}
