import { readdirSync } from 'node:fs';
import { readProcText } from './proc-entry.ts';

/** Nobody waits for input in so large a tree. */
const maxProcesses = 256;

/**
 * A process and all below it, as the kernel keeps them: a few small files, where the table of all processes would be hundreds.
 * Whoever was left by its parent is not among them. `null` where the kernel does not keep that list.
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

/** Each thread has its own. */
function readChildren(pid: number): readonly number[] | null {
  const lists = listThreads(pid).map((tid) => readProcText(`/proc/${pid}/task/${tid}/children`));
  const known = lists.filter((list) => list !== null);
  if (known.length === 0) return null;
  return known.flatMap((list) => list.split(' ').filter(Boolean).map(Number));
}

/** The threads of a process, the first one first; none where there is no such process. */
export function listThreads(pid: number): readonly number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    return [];
  }
}
