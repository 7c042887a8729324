/** System call in which a thread can wait for input, with its arguments. */
export type WaitingCall =
  | { readonly type: 'read'; readonly fd: number }
  | { readonly type: 'poll'; readonly address: bigint; readonly count: number; readonly isBounded: boolean }
  | { readonly type: 'select'; readonly address: bigint; readonly count: number; readonly isBounded: boolean }
  | { readonly type: 'epoll'; readonly fd: number; readonly isBounded: boolean }
  /** Resumes a call in which the thread was halted, such as a `poll` or a `sleep`; the kernel does not show which. */
  | { readonly type: 'restarted' };

/** Kinds of calls, by where their timeout is: a number, or an address. */
type Shape = 'read' | 'poll' | 'ppoll' | 'select' | 'epoll' | 'epoll_pwait2' | 'restarted';

/** Calls by number, from the tables of the kernel (`syscall_64.tbl`, `asm-generic/unistd.h`). */
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

/** Tells whether system call numbers are known for this machine. */
export function knowsCalls(architecture: NodeJS.Architecture = process.arch): boolean {
  return shapes[architecture] !== undefined;
}

/** Parses the text of `/proc/<pid>/syscall`; `null` for every other call, and for a running thread. */
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
