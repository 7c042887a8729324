import { closeSync, openSync, readdirSync, readlinkSync, readSync } from 'node:fs';
import { readProcText } from './proc-entry.ts';

/** What the descriptor of a process is open on, such as `/dev/pts/3` or `pipe:[4711]`; `null` where there is none for us. */
export function readLinkOf(pid: number, fd: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/fd/${fd}`);
  } catch {
    return null;
  }
}

/** The numbers of all its descriptors; `null` where we may not look. */
export function listDescriptors(pid: number): readonly number[] | null {
  try {
    return readdirSync(`/proc/${pid}/fd`).map(Number);
  } catch {
    return null;
  }
}

/** Whether the descriptor is open to read, by its flags. */
export function isReadable(pid: number, fd: number): boolean {
  const flags = /^flags:\s+([0-7]+)/m.exec(readProcText(`/proc/${pid}/fdinfo/${fd}`) ?? '')?.[1] ?? '0';
  const accessMode = 0o3;
  const writeOnly = 0o1;
  return (Number.parseInt(flags, 8) & accessMode) !== writeOnly;
}

/** Bytes of the memory of a process; `null` where we may not look, or it has none there. */
export function readMemory(pid: number, range: { address: bigint; length: number }): Buffer | null {
  let descriptor: number | null = null;
  try {
    descriptor = openSync(`/proc/${pid}/mem`, 'r');
    const bytes = Buffer.alloc(range.length);
    const count = readSync(descriptor, bytes, { length: range.length, position: range.address });
    return count === range.length ? bytes : null;
  } catch {
    return null;
  } finally {
    if (descriptor !== null) closeSync(descriptor);
  }
}
