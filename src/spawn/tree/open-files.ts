import { closeSync, openSync, readdirSync, readlinkSync, readSync } from 'node:fs';
import { readProcText } from './proc-entry.ts';

/** Returns the file of a descriptor, such as `/dev/pts/3` or `pipe:[4711]`; `null` where it cannot be read. */
export function readLinkOf(pid: number, fd: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/fd/${fd}`);
  } catch {
    return null;
  }
}

/** Lists the descriptors of a process; `null` without permission. */
export function listDescriptors(pid: number): readonly number[] | null {
  try {
    return readdirSync(`/proc/${pid}/fd`).map(Number);
  } catch {
    return null;
  }
}

/** Tells whether a descriptor is open for reading, by its flags. */
export function isReadable(pid: number, fd: number): boolean {
  const flags = /^flags:\s+([0-7]+)/m.exec(readProcText(`/proc/${pid}/fdinfo/${fd}`) ?? '')?.[1] ?? '0';
  const accessMode = 0o3;
  const writeOnly = 0o1;
  return (Number.parseInt(flags, 8) & accessMode) !== writeOnly;
}

/** Reads memory of a process; `null` without permission, or where nothing is mapped. */
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

/** Descriptor in a call of poll(2), with what is awaited. */
interface PolledDescriptor {
  readonly fd: number;
  readonly isRead: boolean;
  readonly isWritten: boolean;
}

/** Size of `struct pollfd`: see poll(2). */
const structBytes = 8;
const readEvents = 0x1 | 0x40;
const writeEvent = 0x4;

/** Reads the array passed to poll(2), without negative descriptors, which are ignored; `null` without permission. */
export function readPolled(
  pid: number,
  { address, count }: { address: bigint; count: number },
): readonly PolledDescriptor[] | null {
  const bytes = readMemory(pid, { address, length: count * structBytes });
  if (bytes === null) return null;
  return Array.from({ length: count }, (_, index) => toPolled(bytes, index * structBytes)).filter(
    ({ fd }) => fd >= 0,
  );
}

function toPolled(bytes: Buffer, at: number): PolledDescriptor {
  const events = bytes.readInt16LE(at + 4);
  return {
    fd: bytes.readInt32LE(at),
    isRead: (events & readEvents) !== 0,
    isWritten: (events & writeEvent) !== 0,
  };
}
