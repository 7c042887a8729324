import { statSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { listPids, readEntry, readStatLine } from './proc-entry.ts';
import type { ProcessEntry } from './process-table.ts';

/** Time after which a full reading yields: it adds up on a machine with thousands of processes. */
const sliceMs = 4;

interface StartTime {
  /** Inode of `/proc/<pid>`: the kernel gives every new process there a new one. */
  readonly inode: number;
  readonly startTicks: number;
}

interface TableReading {
  /** Pid assigned last when the reading began. */
  readonly lastPid: number;
  /** Returns all entries that existed throughout the reading and began at `ticks` or later. */
  entriesSince(ticks: number): readonly ProcessEntry[];
}

/**
 * Caches when each process of the machine began, so that a search for young ones does not read the old ones again: 5 µs for a
 * known one, 25 for a new one. The cache is as large as the process table was at the last reading.
 */
export function createStartTimeCache(): { read(readLastPid: () => number): Promise<TableReading> } {
  let births = new Map<number, StartTime>();
  let next: Promise<TableReading> | null = null;

  async function readInSlices(readLastPid: () => number): Promise<TableReading> {
    const lastPid = readLastPid();
    const present = new Map<number, StartTime>();
    let sliceEndsAtMs = performance.now() + sliceMs;
    for (const pid of listPids()) {
      if (performance.now() > sliceEndsAtMs) {
        await setImmediate();
        sliceEndsAtMs = performance.now() + sliceMs;
      }
      const birth = readStartTime(pid, births.get(pid));
      if (birth !== null) present.set(pid, birth);
    }
    births = present;
    return { lastPid, entriesSince: createEntryReader(present) };
  }

  return {
    /** Reads the table. Calls before a reading begins share it: what it finds is true after each of them. */
    read: (readLastPid) => {
      next ??= setImmediate().then(() => {
        next = null;
        return readInSlices(readLastPid);
      });
      return next;
    },
  };
}

function readStartTime(pid: number, remembered: StartTime | undefined): StartTime | null {
  const inode = statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.ino;
  if (inode === undefined) return null;
  if (remembered?.inode === inode) return remembered;
  const line = readStatLine(pid);
  return line === null ? null : { inode, startTicks: Number(line.startTicks) };
}

/** Creates a reader of entries, which are shared by all callers of one reading. */
function createEntryReader(
  births: ReadonlyMap<number, StartTime>,
): (ticks: number) => readonly ProcessEntry[] {
  const entries = new Map<number, ProcessEntry | null>();
  return (ticks) => {
    const found: ProcessEntry[] = [];
    for (const [pid, { startTicks }] of births) {
      if (startTicks < ticks) continue;
      let entry = entries.get(pid);
      if (entry === undefined) {
        entry = readEntry(pid);
        entries.set(pid, entry);
      }
      if (entry !== null) found.push(entry);
    }
    return found;
  };
}
