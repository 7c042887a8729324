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

/** What a call of poll(2) waits for, of one descriptor. */
export interface PolledDescriptor {
  readonly fd: number;
  readonly isRead: boolean;
  readonly isWritten: boolean;
}

/** `struct pollfd`: see poll(2). */
const structBytes = 8;
const readEvents = 0x1 | 0x40;
const writeEvent = 0x4;

/** The array that was handed to poll(2), without those below zero, which are none; `null` where we may not look. */
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
