import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Cancel } from '../clock/clock.ts';
import { pause } from '../clock/pause.ts';
import { createRealClock } from '../clock/real-clock.ts';
import { TroupeError } from '../config/troupe-error.ts';
import type { StateDirectory } from '../state-directory/state-directory.ts';
import { lockFile } from '../store/file-lock.ts';
import { makeDirectory } from '../store/make-directory.ts';
import { toStatePaths } from '../store/state-paths.ts';

const LOOK_MS = 20;

interface StartLock {
  /** Kind and name of what is started; equal ones exclude each other. */
  readonly kind: 'name' | 'stack';
  readonly name: string;
  readonly withinMs: number;
  /** A clause with what the holder does and what to do if it does not finish. */
  readonly advice: string;
  /** Called once if another program holds the lock. */
  readonly onWait?: () => void;
}

/**
 * Waits for a lock in the state directory that excludes another start of the same name, or of the same stack file. Returns the function
 * that releases it; the lock of a dead program is taken over.
 *
 * @throws TroupeError `duplicate` where another program holds the lock for longer than `withinMs`.
 */
export async function lockStart(
  { path }: Pick<StateDirectory, 'path'>,
  { kind, name, withinMs, advice, onWait = () => {} }: StartLock,
): Promise<Cancel> {
  const clock = createRealClock();
  const untilMs = clock.nowMs() + withinMs;
  const { supervisors } = toStatePaths(path);
  makeDirectory(supervisors);
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 16);
  let isWaiting = false;
  for (;;) {
    try {
      return lockFile(join(supervisors, `${kind}-${hash}`), { code: 'duplicate', advice });
    } catch (error) {
      const isHeld = error instanceof TroupeError && error.code === 'duplicate';
      if (!isHeld || clock.nowMs() > untilMs) throw error;
      if (!isWaiting) onWait();
      isWaiting = true;
      await pause(clock, { ms: LOOK_MS });
    }
  }
}
