import { listThreads } from './descendants.ts';
import { isReadable, listDescriptors, readLinkOf, readMemory, readPolled } from './open-files.ts';
import { readProcText } from './proc-entry.ts';
import { parseWaitingCall, type WaitingCall } from './waiting-call.ts';

/**
 * Whether somebody waits for input. `certain`: nothing but input lets it go on. `possible`: it would take input, and may go on
 * without it. `unknown`: the system does not let us see it.
 */
export type BlockedRead = 'certain' | 'possible' | 'unknown' | 'none';

/** Rising: of several, the last one here counts. */
const byStrength: readonly BlockedRead[] = ['none', 'unknown', 'possible', 'certain'];

/** A program with more threads than this is no prompt. */
const maxThreads = 64;
/** Descriptors in one call. */
const maxDescriptors = 1024;

/** On what the input of a process is open: a terminal or a pipe, as `/proc` writes it. `null` where that is no place to type. */
export function findInputSource(leaderPid: number): string | null {
  const link = readLinkOf(leaderPid, 0);
  return link !== null && /^(?:\/dev\/pts\/|pipe:|socket:)/.test(link) ? link : null;
}

/** The call of a thread as `/proc/<pid>/syscall` shows it; `null` where it does not. */
export type ReadCall = (thread: { readonly pid: number; readonly tid: number }) => string | null;

/** Whether a thread of one of these processes is blocked in a call that waits for the source to have something. */
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
  // An end in this very moment, or a thread that is not ours to trace.
  if (text === null) return classifyByWaitChannel(suspect);
  const call = parseWaitingCall(text);
  const judged = call === null ? 'none' : classifyCall(call, suspect);
  return judged === 'none' || isAsleep(suspect) ? judged : 'none';
}

/** Not halted, and not on its way out of the call. */
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

/** `/dev/tty` is the terminal of whoever opened it, and a tree in a terminal has but one. */
function isSource(fd: number, { pid, source }: Candidate): boolean {
  const link = readLinkOf(pid, fd);
  return link === source || (link === '/dev/tty' && source.startsWith('/dev/pts/'));
}

/**
 * By which a program wakes up itself: events and signals of its own, and pipes of which it holds both ends. A timer is a limit of time;
 * changes of files, and what another epoll watches, come from elsewhere.
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

/** The descriptors of which a call waits to read; `null` where that cannot be told. */
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

/** A set of bits, in words of 64: see select(2). */
function findSelected(pid: number, { address, count }: { address: bigint; count: number }) {
  const bytes = readMemory(pid, { address, length: Math.ceil(count / 64) * 8 });
  if (bytes === null) return null;
  const all = Array.from({ length: count }, (_, fd) => fd);
  return all.filter((fd) => ((bytes[fd >> 3] ?? 0) & (1 << (fd & 7))) !== 0);
}

/** What an epoll descriptor watches: proc_pid_fdinfo(5). */
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
 * Without the call, the name of the kernel's function in which it sleeps: that tells what kind of thing is read, but not which. It is
 * ours where nothing else that could be is open.
 */
function classifyByWaitChannel(suspect: Candidate): BlockedRead {
  const { pid, tid, source } = suspect;
  const place = readProcText(`/proc/${pid}/task/${tid}/wchan`);
  if (place === null) return 'none';
  const descriptors = listDescriptors(pid);
  // Who may not see the files gets "0" for the place, too.
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

/** Nobody reads there, although a pair of sockets would let him. */
function isOutput(fd: number): boolean {
  return fd === 1 || fd === 2;
}

/** Where a reader sleeps, and on what else it could sleep there. */
const terminalPlaces = {
  reads: /^(?:n_tty_read|wait_woken)$/,
  confused: /^socket:|inotify|^\/dev\/(?:pts|ptmx)/,
};
const pipePlaces = { reads: /pipe_read|pipe_wait|unix_stream/, confused: /^(?:pipe|socket):/ };

function strongerOf(one: BlockedRead, other: BlockedRead): BlockedRead {
  return byStrength.indexOf(other) > byStrength.indexOf(one) ? other : one;
}
