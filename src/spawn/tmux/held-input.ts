import type { Clock } from '../../clock/clock.ts';
import { pause } from '../../clock/pause.ts';
import { firstPollMs, readTimeoutMs, toNextPollMs } from '../input/queue-input.ts';
import { listDescriptors, readLinkOf, readPolled } from '../tree/open-files.ts';
import { readProcText } from '../tree/proc-entry.ts';
import { knowsCalls, parseWaitingCall } from '../tree/waiting-call.ts';

/** Terminal whose input tmux holds. */
export interface InputPlace {
  readonly serverPid: number;
  /** Path such as `/dev/pts/3`. */
  readonly tty: string;
}

/**
 * Waits until the terminal has taken all input that tmux was given; `false` if its program has not read for `timeoutMs`. tmux
 * itself accepts everything and does not say. Where the system hides what tmux waits for, as on macOS, and on Linux under Yama's
 * `ptrace_scope`, all input counts as taken.
 */
export async function waitUntilTaken(
  place: InputPlace,
  { clock, timeoutMs }: { clock: Clock; timeoutMs: number },
): Promise<boolean> {
  const startedAtMs = clock.nowMs();
  for (let pollMs = firstPollMs; ; pollMs = toNextPollMs(pollMs)) {
    const seen = lookAtInput(place);
    if (seen === 'taken' || seen === 'unknown') return true;
    const waitedMs = clock.nowMs() - startedAtMs;
    if (seen === 'held' && waitedMs >= timeoutMs) return false;
    // Busy all the time, which says nothing about the program.
    if (waitedMs >= readTimeoutMs) return true;
    await pause(clock, { ms: pollMs });
  }
}

/** State of the input. `held`: tmux has input that the terminal does not take. `busy`: tmux does something else now. */
type Seen = 'taken' | 'held' | 'busy' | 'unknown';

/** Looks at the poll(2) call of tmux, also used on Linux: it waits for room in a terminal only while it has input for it. */
function lookAtInput({ serverPid, tty }: InputPlace): Seen {
  const text = knowsCalls() ? readProcText(`/proc/${serverPid}/syscall`) : null;
  const fd = text === null ? null : findMaster(serverPid, tty);
  if (text === null || fd === null) return 'unknown';
  const call = parseWaitingCall(text);
  if (call === null) return 'busy';
  if (call.type !== 'poll') return 'unknown';
  const polled = readPolled(serverPid, call);
  if (polled === null) return 'unknown';
  return polled.some((each) => each.fd === fd && each.isWritten) ? 'held' : 'taken';
}

/** Finds the descriptor of the terminal's master in tmux: proc_pid_fdinfo(5) has its number. */
function findMaster(serverPid: number, tty: string): number | null {
  const [, index] = /^\/dev\/pts\/(\d+)$/.exec(tty) ?? [];
  if (index === undefined) return null;
  const isMaster = (fd: number) =>
    readLinkOf(serverPid, fd)?.endsWith('ptmx') === true &&
    new RegExp(`^tty-index:\\s*${index}$`, 'm').test(readProcText(`/proc/${serverPid}/fdinfo/${fd}`) ?? '');
  return (listDescriptors(serverPid) ?? []).find(isMaster) ?? null;
}
