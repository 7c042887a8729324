import { readEntry } from '../spawn/tree/proc-entry.ts';

/** The identity of a running program, as stored in files. */
export interface ProgramIdentity {
  readonly pid: number;
  /**
   * Distinguishes a later program with the same pid on this boot; `null` where the system does not say, such
   * as on macOS.
   */
  readonly startedAt: string | null;
}

export function currentProgram(): ProgramIdentity {
  return { pid: process.pid, startedAt: readEntry(process.pid)?.startedAt ?? null };
}

/**
 * Returns true while the program runs; zombies do not count. Without a start time, any program with that pid
 * counts.
 *
 * @throws the system's error if it cannot be determined, such as with too many open files.
 */
export function isRunning({ pid, startedAt }: ProgramIdentity): boolean {
  const entry = readEntry(pid);
  if (startedAt !== null) return entry?.alive === true && entry.startedAt === startedAt;
  return entry?.alive ?? takesSignals(pid);
}

function takesSignals(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
