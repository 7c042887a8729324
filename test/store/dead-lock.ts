import { symlinkSync } from 'node:fs';
import { readTableScope } from '../../src/spawn/tree/table-scope.ts';

export const { bootId } = readTableScope();

export const deadProgram = { pid: 2 ** 22 + 1, startedAt: '1', bootId };

/** Leaves the lock of a dead program, as if it died while it held the lock. Does nothing if the lock is held. */
export function leaveDeadLock(lock: string): void {
  try {
    symlinkSync(JSON.stringify(deadProgram), lock);
  } catch {
    // Another program holds it.
  }
}
