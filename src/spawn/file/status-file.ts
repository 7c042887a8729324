import { statSync } from 'node:fs';
import type { ExitStatus, ProcessSignal } from '../../../machines/process/context.ts';
import { toSignalName } from '../../config/signal-name.ts';
import { type LogGap, parseLogMap } from '../../output/log-map.ts';
import { appendPrivateFile, readPrivateFile } from '../../store/private-files.ts';

/** Process as a status file names it; `startedAt` in the unit of the process table. */
export interface NamedProcess {
  readonly pid: number;
  readonly startedAt: string;
}

/** `certain: false`: the shell could not tell a signal from a code above 128, so it counts as a signal. */
export interface RecordedExit extends ExitStatus {
  readonly certain: boolean;
}

/** Content of a status file for one attempt. */
export interface LaunchStatus {
  /** Pid of the launcher. */
  readonly launcher: number | null;
  /** `startedAt` is set once a supervisor has seen the leader alive: the launcher does not know it. */
  readonly leader: { readonly pid: number; readonly startedAt: string | null } | null;
  readonly exit: RecordedExit | null;
  /** Gaps of the log, of all attempts. */
  readonly gaps: readonly LogGap[];
  /** Text that the shell printed beside its lines. */
  readonly shellOutput: string;
  /** True if the leader is known although the file does not name it: the file was removed, emptied or truncated. */
  readonly isTruncated: boolean;
  /** True if all output of the terminal was written. */
  readonly isDrained: boolean;
}

/** Returns the time of the last write in milliseconds since the epoch; `null` if there is no file. The launcher writes the exit last. */
export function readLastLineAt(path: string): number | null {
  try {
    return Math.round(statSync(path).mtimeMs);
  } catch {
    return null;
  }
}

/** Launch of one attempt, known from another source than its file. */
export interface KnownLaunch {
  readonly launcher: number | null;
  readonly leader: NonNullable<LaunchStatus['leader']>;
}

/** Appends the start time of a leader that a supervisor sees alive, which the launcher does not know. */
export function appendBeganLine(
  path: string,
  line: { attempt: number; leader: NamedProcess; reportError: (error: unknown) => void },
): void {
  try {
    appendPrivateFile(path, toBeganLine(line.attempt, line.leader));
  } catch (error) {
    line.reportError(error);
  }
}

export function toBeganLine(attempt: number, { pid, startedAt }: NamedProcess): string {
  return `\nbegan ${attempt} ${pid} ${startedAt}\n`;
}

/** Attempt to read, and what is known of it beside the file. */
interface StatusQuery {
  readonly attempt: number;
  readonly known: KnownLaunch | null;
}

/** Reads a status file; a missing one is empty. Throws where an existing file cannot be read. */
export function readStatus(path: string, attempt: number): LaunchStatus {
  return readStatusOf(path, { attempt, known: null });
}

/** Reads a status file, together with what is known beside it. */
export function readStatusOf(path: string, query: StatusQuery): LaunchStatus {
  return parseStatus(readText(path), query);
}

/** Says why an exit that should be in the status file is unknown. */
export function describeMissingExit(statusPath: string): string {
  return `its exit is unknown: ${statusPath}, where it would be recorded, was removed or truncated`;
}

function readText(path: string): string {
  try {
    return readPrivateFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

const statusLine = /^(launcher|leader|began) (\d+) (\d+)(?: (\S.*))?$/;
const exitLine = /^exit (\d+) (\w+)( mute| code| signal)?$/;
/** Lines about the log and about the processes that write it. */
const logLine = /^(gap|base|full|pipe) /;
const drainedLine = /^drained (\d+)$/;

/**
 * Parses a status file. A line counts once its newline is there. Other lines between the leader and the exit are messages of the
 * shell about a signal. Where an attempt stands twice, the later one counts. The exit of a known leader counts without the lines
 * before it.
 */
export function parseStatus(text: string, { attempt, known }: StatusQuery): LaunchStatus {
  let launcher: number | null = null;
  let leader: LaunchStatus['leader'] = null;
  let exit: RecordedExit | null = null;
  let words: string[] = [];
  let isOurs = known !== null;
  let isDrained = false;
  for (const line of text.split('\n').slice(0, -1)) {
    if (line === '' || logLine.test(line)) continue;
    const [, kind, number, pid, startedAt = null] = statusLine.exec(line) ?? [];
    const [, endedNumber, status = '', manner] = exitLine.exec(line) ?? [];
    const [, drainedNumber] = drainedLine.exec(line) ?? [];
    if (kind === 'launcher') {
      isOurs = Number(number) === attempt;
      if (isOurs) [launcher, leader, exit, words] = [Number(pid), null, null, []];
    } else if (kind === 'began') {
      if (isOurs && Number(number) === attempt) leader = { pid: Number(pid), startedAt };
    } else if (drainedNumber !== undefined) isDrained ||= Number(drainedNumber) === attempt;
    else if (!isOurs) continue;
    else if (kind === 'leader' && Number(number) === attempt) {
      leader = { pid: Number(pid), startedAt: null };
      words = [];
    } else if (Number(endedNumber) === attempt && (leader ?? known) !== null)
      exit ??= toExit(status, { manner, hasWords: words.length > 0 });
    else if (exit === null) words.push(line);
  }
  return {
    launcher: launcher ?? known?.launcher ?? null,
    leader: leader ?? known?.leader ?? null,
    exit,
    gaps: parseLogMap(text).gaps,
    shellOutput: words.join(' '),
    isTruncated: leader === null && known !== null,
    isDrained,
  };
}

/** Parses an exit. tmux, for a killed launcher, names its kind, and a signal by number or, on some systems, by name. */
function toExit(said: string, told: { manner: string | undefined; hasWords: boolean }): RecordedExit | null {
  const number = /^\d+$/.test(said) ? Number(said) : null;
  if (told.manner === ' signal') {
    const signal = number === null ? (`SIG${said}` as ProcessSignal) : toSignalName(number);
    return { code: null, signal, certain: true };
  }
  if (number === null) return null;
  if (told.manner === ' code') return { code: number, signal: null, certain: true };
  return toShellExit(number, { isMute: told.manner === ' mute', hasWords: told.hasWords });
}

/** Converts the status of a shell, which is 128 + n for the signal n, but may also be a program's code. */
function toShellExit(status: number, shell: { isMute: boolean; hasWords: boolean }): RecordedExit {
  const signal = status > 128 ? toSignalName(status - 128) : null;
  if (signal === null) return { code: status, signal: null, certain: true };
  if (shell.hasWords) return { code: null, signal, certain: true };
  if (shell.isMute || isSilentSignal(signal)) return { code: null, signal, certain: false };
  return { code: status, signal: null, certain: true };
}

/** Tells whether dash prints nothing for a signal: a broken pipe and Ctrl-C are no news. */
function isSilentSignal(signal: ProcessSignal): boolean {
  return signal === 'SIGINT' || signal === 'SIGPIPE';
}
