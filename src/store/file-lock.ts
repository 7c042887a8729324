import { readlinkSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import type { Cancel } from '../clock/clock.ts';
import { TroupeError, type TroupeErrorCode } from '../config/troupe-error.ts';
import { readTableScope } from '../spawn/tree/table-scope.ts';
import { readPrivateFile } from './private-files.ts';
import { currentProgram, isRunning, type ProgramIdentity } from './program-identity.ts';

/** The error to throw if another program holds the lock. */
interface LockRefusal {
  readonly code: TroupeErrorCode;
  /** A clause: `end that one first`. */
  readonly advice: string;
}

const conversationInUse: LockRefusal = {
  code: 'conversation-in-use',
  advice: 'end that one first, or begin another conversation',
};

interface HoldingProgram extends ProgramIdentity {
  /** Cannot be guessed, so that a lock from a cloned repository holds nothing. */
  readonly bootId: string | null;
}

/**
 * `unknown`: a file that names no program, left by a machine that crashed or being written by another
 * program.
 */
type Holder = HoldingProgram | 'unknown';

/**
 * Locks a file against other programs until it is released; a lock of a dead program is taken over. The lock
 * is `<path>.lock`, a symbolic link whose target names the holder, so that it appears complete or not at all.
 * Its directory must exist. Within one program nothing is locked. A holder of another boot, or without a boot
 * id, is dead; one in another pid namespace looks dead.
 *
 * @throws TroupeError with the code of `refusal`, naming the holder; the system's error if the lock cannot be
 * created.
 */
export function lockFile(path: string, refusal: LockRefusal = conversationInUse): Cancel {
  const lock = `${path}.lock`;
  const own: HoldingProgram = { ...currentProgram(), bootId: readTableScope().bootId };
  const holder = take(lock, own);
  if (holder !== null) throw inUse({ path, lock, holder, refusal });
  return () => release(lock, own);
}

/** Returns whether a live program, this one included, holds the lock of a file. */
export function isLocked(path: string): boolean {
  const holder = readHolder(`${path}.lock`);
  const own: HoldingProgram = { ...currentProgram(), bootId: readTableScope().bootId };
  return holder !== null && holder !== 'unknown' && isHeldByLiveProgram(holder, own);
}

/** Releases the lock. If it cannot be removed, another program takes it over after this one has ended. */
function release(lock: string, own: HoldingProgram): void {
  try {
    const holder = readHolder(lock);
    if (holder !== null && isSame(holder, own)) remove(lock);
  } catch {
    // See above.
  }
}

/** Takes the lock; returns `null` on success, else the holder. */
function take(lock: string, own: HoldingProgram): Holder | null {
  for (;;) {
    if (tryCreate(lock, own)) return null;
    const holder = readHolder(lock);
    if (holder === null) continue;
    if (isSame(holder, own)) return null;
    if (holder === 'unknown' || isHeldByLiveProgram(holder, own)) return holder;
    const rival = removeDead(lock, own);
    if (rival !== null) return rival;
  }
}

/**
 * Removes a dead lock under another lock, `<lock>.lock`, after checking again: two programs may find the same
 * dead holder, and the slower one must not remove the lock of the faster. Returns `null` on success, else the
 * holder of that lock.
 */
function removeDead(lock: string, own: HoldingProgram): Holder | null {
  const guard = `${lock}.lock`;
  const rival = take(guard, own);
  if (rival !== null) return rival;
  try {
    const holder = readHolder(lock);
    if (holder !== null && holder !== 'unknown' && !isHeldByLiveProgram(holder, own)) remove(lock);
    return null;
  } finally {
    remove(guard);
  }
}

/** Returns `false` if the lock exists. */
function tryCreate(lock: string, own: HoldingProgram): boolean {
  const text = JSON.stringify(own);
  try {
    createLink(text, lock);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/** Creates a file if the file system has no links; it is empty for a moment. */
function createLink(text: string, lock: string): void {
  try {
    symlinkSync(text, lock);
  } catch (error) {
    if (!['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'].some((code) => hasCode(error, code))) throw error;
    writeFileSync(lock, text, { flag: 'wx', mode: 0o600 });
  }
}

/** Returns `null` if the lock is gone. */
function readHolder(lock: string): Holder | null {
  try {
    return parseHolder(readText(lock));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

function readText(lock: string): string {
  try {
    return readlinkSync(lock);
  } catch (error) {
    if (!hasCode(error, 'EINVAL')) throw error;
    return readPrivateFile(lock);
  }
}

function parseHolder(text: string): Holder {
  try {
    const { pid, startedAt = null, bootId = null } = JSON.parse(text) as Partial<HoldingProgram>;
    return typeof pid === 'number' && pid > 0 ? { pid, startedAt, bootId } : 'unknown';
  } catch {
    return 'unknown';
  }
}

function isHeldByLiveProgram(holder: HoldingProgram, own: HoldingProgram): boolean {
  return holder.bootId === own.bootId && isRunning(holder);
}

function isSame(holder: Holder, own: HoldingProgram): boolean {
  if (holder === 'unknown' || holder.bootId !== own.bootId) return false;
  return holder.pid === own.pid && holder.startedAt === own.startedAt;
}

/** Removes the lock, if it exists. */
function remove(lock: string): void {
  try {
    unlinkSync(lock);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException).code === code;
}

function inUse({
  path,
  lock,
  holder,
  refusal: { code, advice },
}: {
  readonly path: string;
  readonly lock: string;
  readonly holder: Holder;
  readonly refusal: LockRefusal;
}): TroupeError {
  const message =
    holder === 'unknown'
      ? `${path} is locked, and ${lock} does not name the program that uses it: if none does, remove that file; otherwise ${advice}.`
      : `${path} is in use by another program, pid ${holder.pid}: ${advice}.`;
  return new TroupeError({ code, message });
}
