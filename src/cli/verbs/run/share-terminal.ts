import { readlinkSync } from 'node:fs';
import type { WriteResult } from '../../../../machines/process/events.ts';
import type { TerminalSize } from '../../../../machines/process/terminal.ts';
import type { Clock } from '../../../clock/clock.ts';
import { pause } from '../../../clock/pause.ts';
import { hasSignalKeys } from '../../../input-detection/terminal-mode.ts';
import type { ProcessHandle } from '../../../process/process-handle.ts';
import { defaultSize } from '../../../spawn/terminal/terminal-deps.ts';
import { readProcText } from '../../../spawn/tree/proc-entry.ts';
import type { CliIo } from '../../cli-io.ts';
import { forwardInput } from './forward-input.ts';

const CTRL_Z = 0x1a;

/** A program that handles Ctrl-Z as a key may stop itself within this time. */
const SELF_STOP_MS = 1_000;
const LOOK_MS = 50;

/** SIGTSTP to this program has arrived by then. */
const STOPPED_WITHIN_MS = 200;

/** Upper bound for columns and rows of the terminal of a process. */
const MAX_CELLS = 1_000;

/** Connection of this terminal with the terminal of a command. */
export interface SharedTerminal {
  /** Restores the terminal; further calls do nothing. */
  restore(): void;
}

/**
 * Connects this terminal with that of a process: keys are forwarded unchanged, and its size follows this one. If Ctrl-Z stops the command,
 * this program stops with it, for the shell that waits for it, and both continue together.
 *
 * The leader of a terminal has no shell above it there, and the system discards SIGTSTP for such a group (POSIX, orphaned process groups).
 * If its terminal turns the key into a signal, the group gets SIGSTOP instead. A program that handles the key itself and sends itself
 * SIGTSTP, as vim does, continues.
 */
export function shareTerminal(
  handle: ProcessHandle,
  { io, clock, onFault }: { io: CliIo; clock: Clock; onFault: (error: unknown) => void },
): SharedTerminal {
  const { stdin, stdout } = io;
  let isOurs = true;
  const enter = () => void stdin.setRawMode(true);
  const follow = () => void handle.resize(toSize(stdout)).catch(onFault);
  const restore = () => {
    if (!isOurs) return;
    isOurs = false;
    process.off('exit', restore);
    stdout.off('resize', follow);
    stdin.setRawMode(false);
    // Further input belongs to the next reader of the terminal.
    stdin.pause();
  };

  /** Resolves when the shell resumes this program; at once without such a shell, because the system then discards the signal. */
  const suspendTogether = async (leader: number) => {
    stdin.setRawMode(false);
    // The whole group, because a script may have started this program.
    process.kill(0, 'SIGTSTP');
    // The pause ends after SIGCONT, even if its time passes while this program is stopped.
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
    // Fast typing may put more keys into the same chunk.
    const after = await write(data.subarray(at + 1));
    return { ...after, bytesWritten: at + 1 + after.bytesWritten };
  };

  enter();
  process.on('exit', restore);
  stdout.on('resize', follow);
  forwardInput(io, { write, endInput: () => handle.endInput(), refusedInput: 'dropped' }).catch(onFault);
  return { restore: restore };
}

/** Returns the size of this terminal within the limits for a process, or the default if it reports none. */
export function toSize({ columns, rows }: CliIo['stdout']): TerminalSize {
  const clamp = (cells: number, least: number) => Math.min(Math.max(cells, least), MAX_CELLS);
  return { columns: clamp(columns || defaultSize.columns, 2), rows: clamp(rows || defaultSize.rows, 1) };
}

function findLeader(handle: ProcessHandle): number | null {
  const view = handle.view();
  return 'endedAt' in view || !('pid' in view) ? null : view.pid;
}

/** Returns whether the leader is in the foreground of its terminal, which turns Ctrl-Z into a signal. */
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
