import { readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import type { Cancel } from '../clock/clock.ts';
import { TroupeError } from '../config/troupe-error.ts';
import { readEntry } from '../spawn/tree/proc-entry.ts';

interface Holder {
  readonly pid: number;
  /** Tells the process from a later one with its number; `null` where the system does not say. */
  readonly startedAt: string | null;
}

/**
 * Keeps other programs away from a file until it is released; what a program that died has left is taken over. The lock is the file
 * `<path>.lock`. Within one program nothing is kept apart.
 *
 * @throws TroupeError `conversation-in-use`, naming the program that holds it.
 */
export function lockFile(path: string): Cancel {
  const lock = `${path}.lock`;
  const own: Holder = { pid: process.pid, startedAt: readEntry(process.pid)?.startedAt ?? null };
  const text = JSON.stringify(own);
  // A dead holder's lock is removed once; whoever is quicker then is alive.
  for (const isLast of [false, true]) {
    if (tryWrite(lock, text)) break;
    const holder = readHolder(lock);
    if (holder?.pid === own.pid) break;
    if (isLast || (holder !== null && isAlive(holder))) throw inUse(path, holder);
    removeQuietly(lock);
  }
  return () => {
    if (readHolder(lock)?.pid === own.pid) removeQuietly(lock);
  };
}

function tryWrite(lock: string, text: string): boolean {
  try {
    writeFileSync(lock, text, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** `null` for one that is gone, or damaged by a crash. */
function readHolder(lock: string): Holder | null {
  try {
    const { pid, startedAt } = JSON.parse(readFileSync(lock, 'utf8')) as Partial<Holder>;
    return typeof pid === 'number' ? { pid, startedAt: startedAt ?? null } : null;
  } catch {
    return null;
  }
}

function isAlive({ pid, startedAt }: Holder): boolean {
  if (startedAt !== null) return readEntry(pid)?.startedAt === startedAt;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function removeQuietly(lock: string): void {
  try {
    unlinkSync(lock);
  } catch {
    // Somebody was quicker.
  }
}

function inUse(path: string, holder: Holder | null): TroupeError {
  const who = holder === null ? 'another program' : `another program, pid ${holder.pid}`;
  const message = `${path} is in use by ${who}: end that one first, or begin another conversation.`;
  return new TroupeError({ code: 'conversation-in-use', message });
}
