import { symlinkSync } from 'node:fs';

export const deadProgram = { pid: 2 ** 22 + 1, startedAt: '1' };

/** What a program leaves that dies while it holds the lock; nothing where somebody has it. */
export function leaveDeadLock(lock: string): void {
  try {
    symlinkSync(JSON.stringify(deadProgram), lock);
  } catch {
    // Somebody has it.
  }
}
