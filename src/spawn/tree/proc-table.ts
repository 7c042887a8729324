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

/** Looking at a number costs 3 µs, listing `/proc` 60 µs and more. */
const maxNumbersTried = 32;

/**
 * The process table of Linux, read from `/proc`: 20 µs for one entry. Young processes of a young parent are found
 * without looking at the others (see `cannotHaveWrapped`), and calls at the same time share one full reading.
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
    elder: LeaderKey,
    isStranger: IsForeign = () => false,
  ): Promise<readonly ProcessEntry[]> {
    const allocation = { ...readLoad(), pidMax: readPidMax() };
    if (hasOnlyYoungerAfter(elder.startedAt, allocation)) {
      return readUpToNow(elder.pid, { allocation, isStranger });
    }
    const { entriesSince, lastPid } = await startTimes.read(readLastPid);
    const younger = entriesSince(Number(elder.startedAt)).filter((entry) => !ownsPid(elder, entry));
    const youngest = readUpToNow(lastPid, {
      allocation: { ...allocation, lastPid: readLastPid() },
      isStranger,
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

  return {
    read: async (pid) => readEntry(pid),
    readAll: async (pids) => readEntries(pids),
    list: async () => readEntries(listPids()),
    listSince: since,
    filterCarriers: async (cookie, entries) => {
      const found: ProcessEntry[] = [];
      for (const entry of entries) {
        if (entry.alive && (await lineageOf(entry)).includes(cookie)) found.push(entry);
      }
      return found;
    },
    filterUntraceable: async (entries) => findUntraceable(entries),
    scope: async () => scope,
  };
}

/** A `/proc` of another pid namespace would make us signal strangers. */
function refuseForeignProc(): void {
  if (readlinkSync('/proc/self') === String(process.pid)) return;
  throw new TroupeError({
    code: 'unsupported-platform',
    message:
      '/proc shows the processes of another pid namespace, so no process can be told from another. ' +
      'Mount a /proc of this namespace, e.g. with `unshare --mount-proc`.',
  });
}

/**
 * Goes on until no pid was given out during the last reading: only then can nothing have been born behind our back
 * by a process that died before we came to it. Bounded for a machine that forks faster than we read.
 */
function readUpToNow(
  afterPid: number,
  { allocation, isStranger }: { allocation: Allocation; isStranger: IsForeign },
): ProcessEntry[] {
  const { lastPid, pidMax } = allocation;
  const entries = new Map<number, ProcessEntry>();
  let after = afterPid;
  let last = lastPid;
  for (let round = 0; round < 100 && last !== after; round += 1) {
    for (const entry of readRange({ after, last, pidMax }, isStranger)) entries.set(entry.pid, entry);
    after = last;
    last = readLastPid();
  }
  return [...entries.values()];
}

function readRange(range: PidRange, isStranger: IsForeign): ProcessEntry[] {
  const pids =
    countPids(range) <= maxNumbersTried
      ? [...iteratePids(range)]
      : listPids().filter((pid) => isInRange(pid, range));
  return readEntries(pids.filter((pid) => !isStranger(pid)));
}

interface Allocation {
  /** The pid given out last in our pid namespace, to a thread perhaps. */
  readonly lastPid: number;
  readonly threadCount: number;
  readonly pidMax: number;
}

/** An administrator may change it; asked once a second it costs nothing. */
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

/** proc_loadavg(5): `0.20 0.18 0.12 running/threads lastPid`. */
function readLoad(): Pick<Allocation, 'lastPid' | 'threadCount'> {
  const [, , , threads = '', lastPid] = (readProcText('/proc/loadavg') ?? '').trim().split(' ');
  return { lastPid: Number(lastPid), threadCount: Number(threads.split('/')[1]) };
}

function readUptimeTicks(): number {
  return Number.parseFloat(readProcText('/proc/uptime') ?? '') * ticksPerSecond;
}
