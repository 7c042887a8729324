import { readdirSync } from 'node:fs';
import { readProcText } from './proc-entry.ts';

/** Maximum processes that are examined: no larger tree waits for input. */
const maxProcesses = 256;

/**
 * Returns a process and its descendants as the kernel lists them: a few small files instead of hundreds for the whole table.
 * Orphans are missing. `null` where the kernel keeps no such list.
 */
export function findDescendants(pid: number): readonly number[] | null {
  const found = [pid];
  for (let index = 0; index < found.length && found.length < maxProcesses; index += 1) {
    const children = readChildren(found[index] ?? pid);
    if (children === null && index === 0) return null;
    found.push(...(children ?? []));
  }
  return found;
}

/** Reads the children of a process, which the kernel lists per thread. */
function readChildren(pid: number): readonly number[] | null {
  const lists = listThreads(pid).map((tid) => readProcText(`/proc/${pid}/task/${tid}/children`));
  const known = lists.filter((list) => list !== null);
  if (known.length === 0) return null;
  return known.flatMap((list) => list.split(' ').filter(Boolean).map(Number));
}

/** Returns the threads of a process, the first one first; none where the process is gone. */
export function listThreads(pid: number): readonly number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    return [];
  }
}
