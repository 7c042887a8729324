import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withReserve } from '../descriptors.ts';
import { readProcText } from '../tree/proc-entry.ts';

/** Readings within which a populated cgroup shows a process. */
const maxReadings = 100;

/**
 * Returns the pids in a cgroup and the cgroups below it; `null` if it does not exist. The result is empty only if the kernel reports the
 * cgroup as unpopulated: a process that forks during the reading may be missing from the list. Throws when the reading itself fails, as with too many open files.
 */
export function readCgroupPids(path: string): readonly number[] | null {
  for (let reading = 0; ; reading += 1) {
    const events = readCgroupText(join(path, 'cgroup.events'));
    if (events === null) return null;
    // Read first, because an unpopulated cgroup needs no other file.
    if (!/^populated 1$/m.test(events)) return [];
    const pids = readPids(path);
    if (pids === null || pids.length > 0 || reading === maxReadings) return pids;
  }
}

/** Kills every process in a cgroup and below it at once. Returns `false` if the cgroup does not exist, or on kernels before 5.14. */
export function killCgroup(path: string): boolean {
  return tryWrite(join(path, 'cgroup.kill'), '1');
}

/**
 * Orders the kernel to halt every process in a cgroup and below it, also those that are started later; see `isFrozen`. Returns `false` if the
 * cgroup does not exist, or on kernels before 5.2.
 */
export function freezeCgroup(path: string): boolean {
  return tryWrite(join(path, 'cgroup.freeze'), '1');
}

/** Continues the processes of a cgroup. Returns `false` if they were not halted by `freezeCgroup`. */
export function thawCgroup(path: string): boolean {
  return isFreezeOrdered(path) && tryWrite(join(path, 'cgroup.freeze'), '0');
}

/** Returns whether the processes of a cgroup are to be halted, and perhaps are already. */
export function isFreezeOrdered(path: string): boolean {
  return readCgroupText(join(path, 'cgroup.freeze'))?.trim() === '1';
}

/** Returns whether every process of a cgroup is halted. One in an uninterruptible call is halted when that returns. */
export function isFrozen(path: string): boolean {
  return /^frozen 1$/m.test(readCgroupText(join(path, 'cgroup.events')) ?? '');
}

function tryWrite(path: string, text: string): boolean {
  try {
    writeCgroupFile(path, text);
    return true;
  } catch {
    // The processes are signalled one by one instead.
    return false;
  }
}

/** Writes a file of a cgroup. @throws Error as write(2) does. */
export function writeCgroupFile(path: string, text: string): void {
  withReserve(() => writeFileSync(path, text, { flag: 'r+' }));
}

function readPids(path: string): readonly number[] | null {
  const text = readCgroupText(join(path, 'cgroup.procs'));
  if (text === null) return null;
  const below = listBelow(path).flatMap((name) => readPids(join(path, name)) ?? []);
  // 0 stands for a process outside of our pid namespace.
  const own = text.split('\n').filter((line) => line !== '' && line !== '0');
  return [...own.map(Number), ...below];
}

/** Lists the names of the cgroups in a cgroup. */
export function listBelow(path: string): readonly string[] {
  try {
    const entries = readdirSync(path, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch {
    return [];
  }
}

/** Reads a file of a cgroup; `null` if it does not exist. */
export function readCgroupText(path: string): string | null {
  try {
    return readProcText(path);
  } catch (error) {
    // Removed after it was opened.
    if ((error as NodeJS.ErrnoException).code === 'ENODEV') return null;
    throw error;
  }
}
