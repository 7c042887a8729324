/** A system call in which a thread can wait for something to read, as the kernel shows its number and its arguments. */
export type WaitingCall =
  | { readonly type: 'read'; readonly fd: number }
  | { readonly type: 'poll'; readonly address: bigint; readonly count: number; readonly isBounded: boolean }
  | { readonly type: 'select'; readonly address: bigint; readonly count: number; readonly isBounded: boolean }
  | { readonly type: 'epoll'; readonly fd: number; readonly isBounded: boolean }
  /** It goes on with a call in which it was halted, as with a `poll` or a `sleep`: which one is not shown. */
  | { readonly type: 'restarted' };

/** What a call waits with, and in which argument its time is: as a number, or where it is kept. */
type Shape = 'read' | 'poll' | 'ppoll' | 'select' | 'epoll' | 'epoll_pwait2' | 'restarted';

/** By number, from the tables of the kernel (`syscall_64.tbl`, `asm-generic/unistd.h`). */
const shapes: Partial<Record<NodeJS.Architecture, Readonly<Record<string, Shape>>>> = {
  x64: {
    // read, readv, recvfrom, recvmsg
    ...{ 0: 'read', 19: 'read', 45: 'read', 47: 'read' },
    // poll, ppoll, select, pselect6
    ...{ 7: 'poll', 271: 'ppoll', 23: 'select', 270: 'select' },
    // epoll_wait, epoll_pwait, epoll_pwait2
    ...{ 232: 'epoll', 281: 'epoll', 441: 'epoll_pwait2' },
    // restart_syscall
    ...{ 219: 'restarted' },
  },
  arm64: {
    ...{ 63: 'read', 65: 'read', 207: 'read', 212: 'read' },
    ...{ 73: 'ppoll', 72: 'select' },
    ...{ 22: 'epoll', 441: 'epoll_pwait2' },
    ...{ 128: 'restarted' },
  },
};

/** Whether numbers of system calls mean anything to us on this machine. */
export function knowsCalls(architecture: NodeJS.Architecture = process.arch): boolean {
  return shapes[architecture] !== undefined;
}

/** `text` as in `/proc/<pid>/syscall`; `null` for every other call, and for a thread that runs. */
export function parseWaitingCall(
  text: string,
  architecture: NodeJS.Architecture = process.arch,
): WaitingCall | null {
  const [number = '', ...words] = text.trim().split(' ');
  const shape = shapes[architecture]?.[number];
  if (shape === undefined || words.length < 6) return null;
  const [first = 0n, second = 0n, third = 0n, fourth = 0n, fifth = 0n] = words.map(BigInt);
  switch (shape) {
    case 'read':
      return { type: 'read', fd: toInt(first) };
    case 'poll':
      return { type: 'poll', address: first, count: Number(second), isBounded: toInt(third) >= 0 };
    case 'ppoll':
      return { type: 'poll', address: first, count: Number(second), isBounded: third !== 0n };
    case 'select':
      return { type: 'select', address: second, count: toInt(first), isBounded: fifth !== 0n };
    case 'epoll':
      return { type: 'epoll', fd: toInt(first), isBounded: toInt(fourth) >= 0 };
    case 'epoll_pwait2':
      return { type: 'epoll', fd: toInt(first), isBounded: fourth !== 0n };
    case 'restarted':
      return { type: 'restarted' };
  }
}

function toInt(value: bigint): number {
  return Number(BigInt.asIntN(32, value));
}
