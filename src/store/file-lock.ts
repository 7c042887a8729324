import { readlinkSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import type { Cancel } from '../clock/clock.ts';
import { TroupeError, type TroupeErrorCode } from '../config/troupe-error.ts';
import { readTableScope } from '../spawn/tree/table-scope.ts';
import { readPrivateFile } from './private-files.ts';
import { currentProgram, isRunning, type ProgramIdentity } from './program-identity.ts';

/** How it is said that somebody else has the file. */
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
  /** Nobody can guess it: a lock that came with a cloned repository holds nothing. */
  readonly bootId: string | null;
}

/** `unknown`: a file that holds no program. A machine that crashed may have left it, or another program is writing it. */
type Holder = HoldingProgram | 'unknown';

/**
 * Keeps other programs away from a file until it is released; what a program that died has left is taken over. The lock is
 * `<path>.lock`, a symbolic link whose target is the holder: it is there with what it says or not at all. Its directory has to be there.
 * Within one program nothing is kept apart. A holder of another boot, or one that names no boot, is dead; one in another pid namespace
 * cannot be told from a dead one.
 *
 * @throws TroupeError with the code of `refusal`, naming the program that holds it; what the system says when it cannot be made.
 */
export function lockFile(path: string, refusal: LockRefusal = conversationInUse): Cancel {
  const lock = `${path}.lock`;
  const own: HoldingProgram = { ...currentProgram(), bootId: readTableScope().bootId };
  const holder = take(lock, own);
  if (holder !== null) throw inUse({ path, lock, holder, refusal });
  return () => release(lock, own);
}

/** What cannot be removed is taken over by the next one after our end. */
function release(lock: string, own: HoldingProgram): void {
  try {
    const holder = readHolder(lock);
    if (holder !== null && isSame(holder, own)) remove(lock);
  } catch {
    // See above.
  }
}

/** `null` once it is ours, else who has it. */
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
 * Two may find the same dead holder, and the slower one must not remove the lock of the quicker. So a dead one is removed only under a
 * lock of its own, `<lock>.lock`, after another look. `null` when that was done, else who is doing it.
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

/** `false` when there is one. */
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

/** Where the file system has no links it is a file, which for a moment says nothing. */
function createLink(text: string, lock: string): void {
  try {
    symlinkSync(text, lock);
  } catch (error) {
    if (!['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'].some((code) => hasCode(error, code))) throw error;
    writeFileSync(lock, text, { flag: 'wx', mode: 0o600 });
  }
}

/** `null` for one that is gone. */
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

/** One that is not there is no mistake. */
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
      ? `${path} is locked, and ${lock} does not say by whom: remove that file if nobody is using it, else ${advice}.`
      : `${path} is in use by another program, pid ${holder.pid}: ${advice}.`;
  return new TroupeError({ code, message });
}
