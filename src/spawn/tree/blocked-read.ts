import { listThreads } from './descendants.ts';
import { isReadable, listDescriptors, readLinkOf, readMemory, readPolled } from './open-files.ts';
import { readProcText } from './proc-entry.ts';
import { parseWaitingCall, type WaitingCall } from './waiting-call.ts';

/**
 * Certainty that a program waits for input. `certain`: nothing but input lets it continue. `possible`: it takes input, but may
 * continue without. `unknown`: the system does not show it.
 */
export type BlockedRead = 'certain' | 'possible' | 'unknown' | 'none';

/** Answers in rising order; of several, the last one here counts. */
const byStrength: readonly BlockedRead[] = ['none', 'unknown', 'possible', 'certain'];

/** Maximum threads that are examined: a program with more is no prompt. */
const maxThreads = 64;
/** Maximum descriptors of one call that are examined. */
const maxDescriptors = 1024;

/** Returns the input of a process: a terminal or a pipe, as `/proc` names it. `null` where no one can type. */
export function findInputSource(leaderPid: number): string | null {
  const link = readLinkOf(leaderPid, 0);
  return link !== null && /^(?:\/dev\/pts\/|pipe:|socket:)/.test(link) ? link : null;
}

/** Reads the call of a thread as `/proc/<pid>/syscall` shows it; `null` where it does not. */
export type ReadCall = (thread: { readonly pid: number; readonly tid: number }) => string | null;

/** Tells whether a thread of these processes is blocked in a call that waits for the source. */
export function findBlockedRead(
  pids: readonly number[],
  { source, readCall = readCallOf }: { source: string; readCall?: ReadCall },
): BlockedRead {
  let found: BlockedRead = 'none';
  for (const pid of pids) {
    for (const tid of listThreads(pid).slice(0, maxThreads)) {
      const suspect = { pid, tid, source };
      found = strongerOf(found, classifyThread(suspect, readCall(suspect)));
      if (found === 'certain') return found;
    }
  }
  return found;
}

const readCallOf: ReadCall = ({ pid, tid }) => readProcText(`/proc/${pid}/task/${tid}/syscall`);

interface Candidate {
  readonly pid: number;
  readonly tid: number;
  readonly source: string;
}

function classifyThread(suspect: Candidate, text: string | null): BlockedRead {
  // The thread is just ending, or may not be traced.
  if (text === null) return classifyByWaitChannel(suspect);
  const call = parseWaitingCall(text);
  const judged = call === null ? 'none' : classifyCall(call, suspect);
  return judged === 'none' || isAsleep(suspect) ? judged : 'none';
}

/** Tells whether a thread sleeps: neither halted nor on its way out of the call. */
function isAsleep({ pid, tid }: Candidate): boolean {
  const stat = readProcText(`/proc/${pid}/task/${tid}/stat`) ?? '';
  return stat.slice(stat.lastIndexOf(')') + 2).startsWith('S');
}

function classifyCall(call: WaitingCall, suspect: Candidate): BlockedRead {
  if (call.type === 'restarted') return 'unknown';
  if (call.type === 'read') return isSource(call.fd, suspect) ? 'certain' : 'none';
  const awaited = findAwaited(call, suspect);
  if (awaited === null) return 'unknown';
  const others = awaited.filter((fd) => !isSource(fd, suspect));
  if (others.length === awaited.length) return 'none';
  return !call.isBounded && others.every((fd) => isSelfWakeup(fd, suspect)) ? 'certain' : 'possible';
}

/** Tells whether a descriptor is open on the source. `/dev/tty` is the terminal of its opener, and a tree in a terminal has but one. */
function isSource(fd: number, { pid, source }: Candidate): boolean {
  const link = readLinkOf(pid, fd);
  return link === source || (link === '/dev/tty' && source.startsWith('/dev/pts/'));
}

/**
 * Tells whether a descriptor only wakes a program by itself: its own events and signals, and pipes of which it holds both ends.
 * Timers limit the time; file changes, and what another epoll watches, come from elsewhere.
 */
function isSelfWakeup(fd: number, { pid }: Candidate): boolean {
  const link = readLinkOf(pid, fd);
  if (link === null) return false;
  if (/^anon_inode:\[?(?:eventfd|signalfd|io_uring)/.test(link)) return true;
  if (!link.startsWith('pipe:')) return false;
  return (listDescriptors(pid) ?? []).some(
    (other) => readLinkOf(pid, other) === link && !isReadable(pid, other),
  );
}

/** Returns the descriptors that a call waits to read; `null` where that is unknown. */
function findAwaited(
  call: Exclude<WaitingCall, { type: 'read' | 'restarted' }>,
  { pid }: Candidate,
): readonly number[] | null {
  if (call.type === 'epoll') return findEpollTargets(pid, call.fd);
  const count = Math.max(0, Math.min(call.count, maxDescriptors));
  if (count === 0 || call.address === 0n) return [];
  return call.type === 'poll' ? findPolled(pid, { ...call, count }) : findSelected(pid, { ...call, count });
}

function findPolled(pid: number, array: { address: bigint; count: number }) {
  const polled = readPolled(pid, array);
  return polled?.filter(({ isRead }) => isRead).map(({ fd }) => fd) ?? null;
}

/** Reads a set of bits, in words of 64: see select(2). */
function findSelected(pid: number, { address, count }: { address: bigint; count: number }) {
  const bytes = readMemory(pid, { address, length: Math.ceil(count / 64) * 8 });
  if (bytes === null) return null;
  const all = Array.from({ length: count }, (_, fd) => fd);
  return all.filter((fd) => ((bytes[fd >> 3] ?? 0) & (1 << (fd & 7))) !== 0);
}

/** Reads the targets of an epoll descriptor: proc_pid_fdinfo(5). */
function findEpollTargets(pid: number, epollFd: number): readonly number[] | null {
  const readEvent = 0x1;
  const text = readProcText(`/proc/${pid}/fdinfo/${epollFd}`);
  if (text === null) return null;
  const targets = [...text.matchAll(/^tfd:\s*(\d+) events:\s*([0-9a-f]+)/gm)];
  return targets
    .filter(([, , events = '0']) => (Number.parseInt(events, 16) & readEvent) !== 0)
    .map(([, fd]) => Number(fd));
}

/**
 * Classifies a thread whose call is hidden by the kernel function in which it sleeps, which tells the kind of file that is read,
 * but not which one. It is the source if no other open file of that kind could be read.
 */
function classifyByWaitChannel(suspect: Candidate): BlockedRead {
  const { pid, tid, source } = suspect;
  const place = readProcText(`/proc/${pid}/task/${tid}/wchan`);
  if (place === null) return 'none';
  const descriptors = listDescriptors(pid);
  // Without permission to see the files, the kernel function reads "0" as well.
  if (descriptors === null) return 'unknown';
  if (/poll|select/.test(place)) return 'unknown';
  const { reads, confused } = source.startsWith('/dev/pts/') ? terminalPlaces : pipePlaces;
  if (!reads.test(place)) return 'none';
  const sources = descriptors.filter((fd) => isSource(fd, suspect));
  if (sources.length === 0) return 'none';
  const isConfused = descriptors.some(
    (fd) =>
      !isOutput(fd) &&
      !sources.includes(fd) &&
      confused.test(readLinkOf(pid, fd) ?? '') &&
      isReadable(pid, fd),
  );
  return isConfused ? 'unknown' : 'certain';
}

/** Tells whether a descriptor is an output: no program reads there, although a pair of sockets would allow it. */
function isOutput(fd: number): boolean {
  return fd === 1 || fd === 2;
}

/** Kernel functions of a sleeping reader, and other files on which it could sleep there. */
const terminalPlaces = {
  reads: /^(?:n_tty_read|wait_woken)$/,
  confused: /^socket:|inotify|^\/dev\/(?:pts|ptmx)/,
};
const pipePlaces = { reads: /pipe_read|pipe_wait|unix_stream/, confused: /^(?:pipe|socket):/ };

function strongerOf(one: BlockedRead, other: BlockedRead): BlockedRead {
  return byStrength.indexOf(other) > byStrength.indexOf(one) ? other : one;
}
