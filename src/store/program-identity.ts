import { readEntry } from '../spawn/tree/proc-entry.ts';

/** A running program as it writes itself down. */
export interface ProgramIdentity {
  readonly pid: number;
  /** Tells it from a later one with its pid on this boot; `null` where the system does not say at once, as on macOS. */
  readonly startedAt: string | null;
}

export function currentProgram(): ProgramIdentity {
  return { pid: process.pid, startedAt: readEntry(process.pid)?.startedAt ?? null };
}

/**
 * Whether it still runs; a zombie does not. Without a time of birth whoever has the pid now is taken for it.
 *
 * @throws what the system says when it cannot be told, as with too many open files.
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
