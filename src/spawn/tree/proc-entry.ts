import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { withReserve } from '../descriptors.ts';
import type { ProcessEntry } from './process-table.ts';
import { parseStatLine, type StatLine } from './stat-line.ts';

/** Processes come and go, and others' files are closed to us. */
const absent: ReadonlySet<unknown> = new Set(['ENOENT', 'ESRCH', 'EACCES', 'EPERM']);

/**
 * The text of a file below `/proc`, or `null` where there is none for us. Throws when the reading itself fails, as with too
 * many open files: that must not look like the end of a process. Read synchronously because it never waits for a
 * disk and the round through the thread pool costs ten times more.
 */
export function readProcText(path: string): string | null {
  try {
    return withReserve(() => readFileSync(path, 'utf8'));
  } catch (error) {
    if (absent.has((error as NodeJS.ErrnoException).code)) return null;
    throw error;
  }
}

export function listPids(): readonly number[] {
  return withReserve(() => readdirSync('/proc')).flatMap((name) => (isPid(name) ? [Number(name)] : []));
}

function isPid(name: string): boolean {
  const first = name.charCodeAt(0);
  return first >= 49 && first <= 57;
}

/** `null` as well for the number of a thread. Cheapest for one that is there. */
export function readStatLine(pid: number): StatLine | null {
  const text = readProcText(`/proc/${pid}/stat`);
  const line = text === null ? null : parseStatLine(text);
  return line === null || line.thread ? null : line;
}

export function readEntry(pid: number): ProcessEntry | null {
  const line = readStatLine(pid);
  return line === null ? null : toEntry(line);
}

/** Cheapest for numbers that may well be nobody's: asking first is a third of the price of an exception. */
export function readEntries(pids: Iterable<number>): ProcessEntry[] {
  const entries: ProcessEntry[] = [];
  for (const pid of pids) {
    if (!existsSync(`/proc/${pid}`)) continue;
    const entry = readEntry(pid);
    if (entry !== null) entries.push(entry);
  }
  return entries;
}

function toEntry(line: StatLine): ProcessEntry {
  let command: string | null = null;
  return {
    pid: line.pid,
    ppid: line.ppid,
    pgid: line.pgid,
    sid: line.sid,
    startedAt: line.startTicks,
    alive: line.alive,
    stopped: line.stopped,
    get command() {
      command ??= readCommand(line);
      return command;
    },
  };
}

function readCommand({ pid, name }: StatLine): string {
  const text = readProcText(`/proc/${pid}/cmdline`) ?? '';
  const words = text.replace(/\0+$/, '').split('\0').join(' ');
  return words === '' ? `[${name}]` : words;
}
