import { readlinkSync } from 'node:fs';
import type { WriteResult } from '../../../machines/process/events.ts';
import type { TerminalSize } from '../../../machines/process/terminal.ts';
import type { Clock } from '../../clock/clock.ts';
import { pause } from '../../clock/pause.ts';
import { hasSignalKeys } from '../../input-detection/terminal-mode.ts';
import type { ProcessHandle } from '../../process/process-handle.ts';
import { defaultSize } from '../../spawn/terminal/terminal-deps.ts';
import { readProcText } from '../../spawn/tree/proc-entry.ts';
import type { CliIo } from '../cli-io.ts';
import { forwardInput } from './pass-input.ts';

const CTRL_Z = 0x1a;

/** A program that takes Ctrl-Z as a key may stop itself; it is looked for that long. */
const SELF_STOP_MS = 1_000;
const LOOK_MS = 50;

/** Our own stop, which is on its way, has come by then. */
const STOPPED_WITHIN_MS = 200;

/** More columns or rows no terminal of a process has. */
const MAX_CELLS = 1_000;

/** Our terminal, while a command in a terminal of its own is shown in it. */
export interface SharedTerminal {
  /** Gives it back as it was; calling it again does nothing. */
  restore(): void;
}

/**
 * Connects our terminal with that of a process, key by key: what is typed goes there as it is, and its size follows ours. Where Ctrl-Z stops
 * the command, this program stops with it, for the shell that waits for it, and both go on together.
 *
 * The leader of a terminal has no shell above it there, and for such a group the system discards SIGTSTP (POSIX, orphaned process groups):
 * where its terminal makes a signal of the key, the group is sent SIGSTOP instead. A program that takes the key itself and stops
 * itself by SIGTSTP, as vim does, goes on.
 */
export function shareTerminal(
  handle: ProcessHandle,
  { io, clock, onFault }: { io: CliIo; clock: Clock; onFault: (error: unknown) => void },
): SharedTerminal {
  const { stdin, stdout } = io;
  let isOurs = true;
  const enter = () => void stdin.setRawMode(true);
  const follow = () => void handle.resize(toSize(stdout)).catch(onFault);
  const giveBack = () => {
    if (!isOurs) return;
    isOurs = false;
    process.off('exit', giveBack);
    stdout.off('resize', follow);
    stdin.setRawMode(false);
    // What is typed from here on is for whoever has the terminal next.
    stdin.pause();
  };

  /** Returns when the shell has this program go on; at once where no shell could, as the system then discards the signal. */
  const suspendTogether = async (leader: number) => {
    stdin.setRawMode(false);
    // Our whole group, as a script may be around us.
    process.kill(0, 'SIGTSTP');
    // While we are stopped this passes, too: what comes after it comes after SIGCONT.
    await pause(clock, { ms: STOPPED_WITHIN_MS });
    if (isOurs) enter();
    for (const signal of ['SIGCONT', 'SIGWINCH'] as const) signalGroup(leader, signal);
  };

  const afterCtrlZ = async () => {
    const leader = findLeader(handle);
    if (leader === null) return;
    const untilMs = clock.nowMs() + SELF_STOP_MS;
    while (!readState(leader).isStopped && clock.nowMs() < untilMs) await pause(clock, { ms: LOOK_MS });
    if (readState(leader).isStopped) await suspendTogether(leader);
  };

  const write = async (data: Uint8Array): Promise<WriteResult> => {
    const at = data.indexOf(CTRL_Z);
    if (at === -1) return handle.write(data);
    const leader = findLeader(handle);
    if (leader === null || !(await isStoppedByKey(leader))) {
      void afterCtrlZ().catch(onFault);
      return handle.write(data);
    }
    const before = await handle.write(data.subarray(0, at));
    if (!before.ok) return before;
    signalGroup(leader, 'SIGSTOP');
    await suspendTogether(leader);
    // Typed so fast that it came together.
    const after = await write(data.subarray(at + 1));
    return { ...after, bytesWritten: at + 1 + after.bytesWritten };
  };

  enter();
  process.on('exit', giveBack);
  stdout.on('resize', follow);
  forwardInput(io, { write, endInput: () => handle.endInput(), unread: 'notGiven' }).catch(onFault);
  return { restore: giveBack };
}

/** The size of ours as a process can have it; of one that tells none, the usual one. */
export function toSize({ columns, rows }: CliIo['stdout']): TerminalSize {
  const clamp = (cells: number, least: number) => Math.min(Math.max(cells, least), MAX_CELLS);
  return { columns: clamp(columns || defaultSize.columns, 2), rows: clamp(rows || defaultSize.rows, 1) };
}

function findLeader(handle: ProcessHandle): number | null {
  const view = handle.view();
  return 'endedAt' in view || !('pid' in view) ? null : view.pid;
}

/** It is in front of its terminal, which makes a signal of the key. */
async function isStoppedByKey(leader: number): Promise<boolean> {
  if (!readState(leader).isInFront) return false;
  try {
    return await hasSignalKeys(readlinkSync(`/proc/${leader}/fd/0`));
  } catch {
    // It has just ended, or has no stdin.
    return false;
  }
}

/** Fields 3, 5 and 8 of proc_pid_stat(5). */
function readState(pid: number): { readonly isStopped: boolean; readonly isInFront: boolean } {
  const text = readProcText(`/proc/${pid}/stat`) ?? '';
  const [state, , group, , , front] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { isStopped: state === 'T', isInFront: group !== undefined && group === front };
}

function signalGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal);
  } catch {
    // It has ended.
  }
}
