import type { Clock } from '../../clock/clock.ts';
import { pause } from '../terminal/pause.ts';
import { listDescriptors, readLinkOf, readMemory } from '../tree/open-files.ts';
import { readProcText } from '../tree/proc-entry.ts';
import { knowsCalls, parseWaitingCall } from '../tree/waiting-call.ts';

/** Where the input of a terminal comes through. */
export interface InputPlace {
  readonly serverPid: number;
  /** Such as `/dev/pts/3`. */
  readonly tty: string;
}

/** How long a program that does not read is waited for. */
export const readingPatienceMs = 10_000;
const firstLookMs = 1;
const longestLookMs = 20;

/**
 * Waits until the terminal has taken all that tmux was given for it; `false` where it takes no more, since its program has not read for ten seconds. tmux itself
 * takes whatever comes, and says nothing of it. Where the system does not let us see what it waits for, as on macOS, and on Linux under Yama's
 * `ptrace_scope`, all counts as taken.
 */
export async function waitUntilTaken(place: InputPlace, clock: Clock): Promise<boolean> {
  const giveUpAtMs = clock.nowMs() + readingPatienceMs;
  for (let lookMs = firstLookMs; ; lookMs = Math.min(lookMs * 2, longestLookMs)) {
    const seen = lookAtInput(place);
    if (seen === 'taken' || seen === 'unknown') return true;
    if (clock.nowMs() >= giveUpAtMs) return seen === 'busy';
    await pause(lookMs, clock);
  }
}

/** `held`: tmux has something for it that it does not take. `busy`: tmux does something else just now. */
type Seen = 'taken' | 'held' | 'busy' | 'unknown';

/** tmux waits with poll(2) for whatever it has to do, on Linux too; for room in a terminal only while it has something for it. */
function lookAtInput({ serverPid, tty }: InputPlace): Seen {
  const text = knowsCalls() ? readProcText(`/proc/${serverPid}/syscall`) : null;
  const fd = text === null ? null : findMaster(serverPid, tty);
  if (text === null || fd === null) return 'unknown';
  const call = parseWaitingCall(text);
  if (call === null) return 'busy';
  if (call.type !== 'poll') return 'unknown';
  const bytes = readMemory(serverPid, { address: call.address, length: call.count * pollFdBytes });
  if (bytes === null) return 'unknown';
  const at = Array.from({ length: call.count }, (_, index) => index * pollFdBytes).find(
    (each) => bytes.readInt32LE(each) === fd,
  );
  return at !== undefined && (bytes.readInt16LE(at + 4) & writeEvent) !== 0 ? 'held' : 'taken';
}

/** `struct pollfd`: see poll(2). */
const pollFdBytes = 8;
const writeEvent = 0x4;

/** The descriptor by which tmux has the other end: proc_pid_fdinfo(5) names its number. */
function findMaster(serverPid: number, tty: string): number | null {
  const [, index] = /^\/dev\/pts\/(\d+)$/.exec(tty) ?? [];
  if (index === undefined) return null;
  const isMaster = (fd: number) =>
    readLinkOf(serverPid, fd)?.endsWith('ptmx') === true &&
    new RegExp(`^tty-index:\\s*${index}$`, 'm').test(readProcText(`/proc/${serverPid}/fdinfo/${fd}`) ?? '');
  return (listDescriptors(serverPid) ?? []).find(isMaster) ?? null;
}
