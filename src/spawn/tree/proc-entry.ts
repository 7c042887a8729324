import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { withReserve } from '../descriptors.ts';
import type { ProcessEntry } from './process-table.ts';
import { parseStatLine, type StatLine } from './stat-line.ts';

/** Errors of a process that is gone or whose files we may not read. */
const absent: ReadonlySet<unknown> = new Set(['ENOENT', 'ESRCH', 'EACCES', 'EPERM']);

/**
 * Reads a file below `/proc`; `null` where it is gone or closed to us. Throws when the reading itself fails, as with too many
 * open files, because that must not look like the end of a process. Synchronous, because it never waits for a disk and the thread
 * pool costs ten times more.
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

/** Reads the stat line of a process; `null` also for the id of a thread. Cheapest for processes that exist. */
export function readStatLine(pid: number): StatLine | null {
  const text = readProcText(`/proc/${pid}/stat`);
  const line = text === null ? null : parseStatLine(text);
  return line === null || line.thread ? null : line;
}

/** Reads the bytes that a process and the children that it has waited for read from disks and wrote to them; `null` without permission. */
export function readDiskBytes(pid: number): Readonly<Record<'readBytes' | 'writtenBytes', number | null>> {
  const text = readProcText(`/proc/${pid}/io`) ?? '';
  const field = (name: string) => {
    const value = new RegExp(`^${name}: (\\d+)$`, 'm').exec(text)?.[1];
    return value === undefined ? null : Number(value);
  };
  return { readBytes: field('read_bytes'), writtenBytes: field('write_bytes') };
}

export function readEntry(pid: number): ProcessEntry | null {
  const line = readStatLine(pid);
  return line === null ? null : toEntry(line);
}

/** Reads the entries of pids, many of which may be unused: checking first costs a third of an exception. */
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
    blocked: line.state === 'D',
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
