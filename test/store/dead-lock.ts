import { symlinkSync } from 'node:fs';
import { readTableScope } from '../../src/spawn/tree/table-scope.ts';

export const { bootId } = readTableScope();

export const deadProgram = { pid: 2 ** 22 + 1, startedAt: '1', bootId };

/** What a program leaves that dies while it holds the lock; nothing where somebody has it. */
export function leaveDeadLock(lock: string): void {
  try {
    symlinkSync(JSON.stringify(deadProgram), lock);
  } catch {
    // Somebody has it.
  }
}
