import { readlinkSync } from 'node:fs';
import { cpus } from 'node:os';
import { TroupeError } from '../../config/troupe-error.ts';
import { ownsPid } from './identity.ts';
import { readLineage } from './lineage.ts';
import {
  cannotHaveWrapped,
  countPids,
  isInRange,
  iteratePids,
  type PidRange,
  ticksPerSecond,
} from './pid-allocation.ts';
import { listPids, readEntries, readEntry, readProcText } from './proc-entry.ts';
import type { IsForeign, LeaderKey, ProcessEntry, ProcessTable } from './process-table.ts';
import { createStartTimeCache } from './start-time-cache.ts';
import { findUntraceable } from './suspects.ts';
import { readTableScope } from './table-scope.ts';

/** Number of pids up to which each is tried: one costs 3 µs, listing `/proc` 60 µs and more. */
const maxNumbersTried = 32;

/**
 * Creates the process table of Linux from `/proc`: 20 µs for one entry. Young processes of a young parent are found without
 * looking at the others (see `cannotHaveWrapped`), and concurrent calls share one full reading.
 */
export function createProcTable(): ProcessTable {
  refuseForeignProc();
  const cpuCount = cpus().length;
  const scope = readTableScope();
  const lineages = new WeakMap<ProcessEntry, Promise<string>>();
  const startTimes = createStartTimeCache();
  const readPidMax = createPidMaxReader();

  function hasOnlyYoungerAfter(startedAt: string, allocation: Allocation): boolean {
    return cannotHaveWrapped({
      startTicks: Number(startedAt),
      nowTicks: readUptimeTicks(),
      pidMax: allocation.pidMax,
      threadCount: allocation.threadCount,
      cpuCount,
    });
  }

  async function since(
    leader: LeaderKey,
    isForeign: IsForeign = () => false,
  ): Promise<readonly ProcessEntry[]> {
    const allocation = { ...readLoad(), pidMax: readPidMax() };
    if (hasOnlyYoungerAfter(leader.startedAt, allocation)) {
      return readUpToNow(leader.pid, { allocation, isForeign });
    }
    const { entriesSince, lastPid } = await startTimes.read(readLastPid);
    const younger = entriesSince(Number(leader.startedAt)).filter((entry) => !ownsPid(leader, entry));
    const youngest = readUpToNow(lastPid, {
      allocation: { ...allocation, lastPid: readLastPid() },
      isForeign,
    });
    if (youngest.length === 0) return younger;
    return [...new Map([...younger, ...youngest].map((entry) => [entry.pid, entry])).values()];
  }

  async function lineageOf(entry: ProcessEntry): Promise<string> {
    let lineage = lineages.get(entry);
    if (lineage === undefined) {
      lineage = readLineage(entry);
      lineages.set(entry, lineage);
    }
    return lineage;
  }

  async function filterByLineage(
    entries: readonly ProcessEntry[],
    isWanted: (lineage: string) => boolean,
  ): Promise<readonly ProcessEntry[]> {
    const found: ProcessEntry[] = [];
    for (const entry of entries) {
      if (entry.alive && isWanted(await lineageOf(entry))) found.push(entry);
    }
    return found;
  }

  return {
    read: async (pid) => readEntry(pid),
    readAll: async (pids) => readEntries(pids),
    list: async () => readEntries(listPids()),
    listSince: since,
    listNewborn: async (after) => {
      const last = readLastPid();
      if (after === null || after === last) return { last, entries: [] };
      return { last, entries: readRange({ after, last, pidMax: readPidMax() }, () => false) };
    },
    filterCarriers: (cookie, entries) => filterByLineage(entries, (lineage) => lineage.includes(cookie)),
    filterForeign: (cookie, entries) =>
      filterByLineage(entries, (lineage) => lineage !== '' && !lineage.includes(cookie)),
    filterUntraceable: async (entries, cwd) => findUntraceable(entries, cwd),
    scope: async () => scope,
  };
}

/** Refuses a `/proc` of another pid namespace, with which we would signal foreign processes. */
function refuseForeignProc(): void {
  if (readlinkSync('/proc/self') === String(process.pid)) return;
  throw new TroupeError({
    code: 'unsupported-platform',
    message:
      '/proc shows the processes of another pid namespace, so processes cannot be identified. ' +
      'Mount a /proc of this namespace, e.g. with `unshare --mount-proc`.',
  });
}

/**
 * Reads until no pid was assigned during the last reading: only then can no process have been born unseen of a parent that died
 * before it was read. Bounded for a machine that forks faster than we read.
 */
function readUpToNow(
  afterPid: number,
  { allocation, isForeign }: { allocation: Allocation; isForeign: IsForeign },
): ProcessEntry[] {
  const { lastPid, pidMax } = allocation;
  const entries = new Map<number, ProcessEntry>();
  let after = afterPid;
  let last = lastPid;
  for (let round = 0; round < 100 && last !== after; round += 1) {
    for (const entry of readRange({ after, last, pidMax }, isForeign)) entries.set(entry.pid, entry);
    after = last;
    last = readLastPid();
  }
  return [...entries.values()];
}

function readRange(range: PidRange, isForeign: IsForeign): ProcessEntry[] {
  const pids =
    countPids(range) <= maxNumbersTried
      ? [...iteratePids(range)]
      : listPids().filter((pid) => isInRange(pid, range));
  return readEntries(pids.filter((pid) => !isForeign(pid)));
}

interface Allocation {
  /** Pid assigned last in our pid namespace, perhaps to a thread. */
  readonly lastPid: number;
  readonly threadCount: number;
  readonly pidMax: number;
}

/** Creates a reader of `pid_max`, which an administrator may change; asks once a second. */
function createPidMaxReader(): () => number {
  let pidMax = 0;
  let readAgainAtMs = 0;
  return () => {
    const nowMs = performance.now();
    if (nowMs >= readAgainAtMs) {
      pidMax = Number(readProcText('/proc/sys/kernel/pid_max'));
      readAgainAtMs = nowMs + 1_000;
    }
    return pidMax;
  };
}

function readLastPid(): number {
  return readLoad().lastPid;
}

/** Parses proc_loadavg(5): `0.20 0.18 0.12 running/threads lastPid`. */
function readLoad(): Pick<Allocation, 'lastPid' | 'threadCount'> {
  const [, , , threads = '', lastPid] = (readProcText('/proc/loadavg') ?? '').trim().split(' ');
  return { lastPid: Number(lastPid), threadCount: Number(threads.split('/')[1]) };
}

function readUptimeTicks(): number {
  return Number.parseFloat(readProcText('/proc/uptime') ?? '') * ticksPerSecond;
}
