import { readMemory } from './open-files.ts';

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
