import type { ExitStatus, ProcessSignal } from '../../../machines/process/context.ts';
import { type LogGap, parseLogMap } from '../../output/log-map.ts';
import { appendPrivateFile, readPrivateFile } from '../../store/private-files.ts';
import { toSignalName } from '../signal-name.ts';

/** A process as a status file names it: `startedAt` is in the unit of the process table. */
export interface NamedProcess {
  readonly pid: number;
  readonly startedAt: string;
}

/** `certain: false`: the shell could not tell whether that was a signal or a code above 128; it is taken for a signal. */
export interface RecordedExit extends ExitStatus {
  readonly certain: boolean;
}

/** What the launcher of one attempt has written so far. */
export interface LaunchStatus {
  /** Its pid. */
  readonly launcher: number | null;
  /** `startedAt` is there once a supervisor has seen it alive: the launcher itself does not know. */
  readonly leader: { readonly pid: number; readonly startedAt: string | null } | null;
  readonly exit: RecordedExit | null;
  /** Of the log, whatever the attempt: what is no longer in it. */
  readonly gaps: readonly LogGap[];
  /** What the shell said beside its lines. */
  readonly shellOutput: string;
  /** The file does not say who leads, although that is known: it was removed, emptied or cut. */
  readonly isTruncated: boolean;
  /** All output of its terminal was taken down: no more can come. */
  readonly isDrained: boolean;
}

/** Of one attempt, from elsewhere than its file. */
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

/** Which attempt is asked for, and what the file need not say of it. */
export interface StatusQuery {
  readonly attempt: number;
  readonly known: KnownLaunch | null;
}

/** A file that is not there says nothing. Throws when it is there and cannot be read. */
export function readStatus(path: string, attempt: number): LaunchStatus {
  return readStatusOf(path, { attempt, known: null });
}

/** Like `readStatus`, where something may be known beside the file. */
export function readStatusOf(path: string, query: StatusQuery): LaunchStatus {
  return parseStatus(readText(path), query);
}

/** Why an end is unknown whose line is not where it was to be written. */
export function describeMissingExit(statusPath: string): string {
  return `how it ended is unknown: ${statusPath}, where that was to be written, was removed or cut`;
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
/** Of the log, and of who takes it down. */
const logLine = /^(gap|base|full|pipe) /;
const drainedLine = /^drained (\d+)$/;

/**
 * A line counts once its newline is there. What is no line of ours between the leader's and the end is the shell's word about a
 * signal. Where an attempt stands twice, the later one counts. The end of a leader that is known counts without the lines before it.
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

/** tmux, of a launcher that was killed, knows which of both it was, and says a signal by its number or, on some systems, by its name. */
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

/** A shell says 128 + n for the signal n, and so may a program. */
function toShellExit(status: number, shell: { isMute: boolean; hasWords: boolean }): RecordedExit {
  const signal = status > 128 ? toSignalName(status - 128) : null;
  if (signal === null) return { code: status, signal: null, certain: true };
  if (shell.hasWords) return { code: null, signal, certain: true };
  if (shell.isMute || isSilentSignal(signal)) return { code: null, signal, certain: false };
  return { code: status, signal: null, certain: true };
}

/** Nobody wants to read that a pipe broke or that he has pressed a key: of these dash says nothing. */
function isSilentSignal(signal: ProcessSignal): boolean {
  return signal === 'SIGINT' || signal === 'SIGPIPE';
}
