import type { Clock } from '../../clock/clock.ts';
import { readCgroupPids } from '../cgroup/cgroup-files.ts';
import { readCgroupUsage } from '../cgroup/cgroup-usage.ts';
import { findProcessCgroup } from '../cgroup/own-cgroup.ts';
import { listPids, readDiskBytes, readProcText } from './proc-entry.ts';

/** Resource usage of a process and its descendants: current values and totals so far. */
export interface ProcessUsage {
  /** Share since the last measurement, 1 being one processor; `null` at the first one. */
  readonly cpuShare: number | null;
  /** CPU time in milliseconds; without a cgroup that of the living processes and of the children that they have waited for. */
  readonly cpuMs: number;
  /** Memory in bytes: as the controller of the cgroup counts it, or else resident memory, in which shared pages count for each process. */
  readonly memoryBytes: number;
  /** Largest memory so far: of all together with the controller of the cgroup, or else the largest of one living process; `null` where it is unknown. */
  readonly peakMemoryBytes: number | null;
  /** Bytes read from disks, counted like `cpuMs`; `null` where they are unknown. */
  readonly readBytes: number | null;
  /** Bytes written to disks, counted like `cpuMs`; `null` where they are unknown. */
  readonly writtenBytes: number | null;
  /** Number of living operating-system processes. */
  readonly processes: number;
  /** TCP ports on which they listen, in ascending order; empty also where that cannot be determined. */
  readonly ports: readonly number[];
}

/** Usage of a leader and its descendants. */
export interface TreeUsage extends Omit<ProcessUsage, 'processes' | 'ports'> {
  readonly pids: readonly number[];
}

/** Reads the process table on each call. Returns nothing without `/proc`. */
export interface UsageMeter {
  measure(leaders: readonly number[]): ReadonlyMap<number, TreeUsage>;
}

interface Member {
  readonly pid: number;
  readonly ppid: number;
  readonly pgid: number;
  readonly sid: number;
  /** Identifies one process for ever, together with the pid. */
  readonly startTicks: string;
  readonly cpuTicks: number;
  /** CPU time of the children that it has waited for. */
  readonly childTicks: number;
  readonly pages: number;
}

/** USER_HZ, which is 100 wherever Linux runs. proc_pid_stat(5) */
const TICKS_PER_SECOND = 100;

export function createUsageMeter({ clock }: { readonly clock: Clock }): UsageMeter {
  const pageBytes = findPageBytes();
  let before: { readonly atMs: number; readonly ticks: ReadonlyMap<string, number> } | null = null;

  return {
    measure: (leaders) => {
      if (leaders.length === 0) return new Map();
      const members = readMembers();
      const atMs = clock.nowMs();
      const usages = leaders.flatMap((leader): [number, TreeUsage][] => {
        const cgroup = findProcessCgroup(leader);
        const tree = findTree(leader, { members, cgroup });
        if (tree.length === 0) return [];
        return [[leader, { cpuShare: toShare(tree, atMs), ...toTotals(tree, { cgroup, pageBytes }) }]];
      });
      before = { atMs, ticks: new Map(members.map((member) => [toKey(member), member.cpuTicks])) };
      return new Map(usages);
    },
  };

  function toShare(tree: readonly Member[], atMs: number): number | null {
    const { atMs: beforeAtMs, ticks } = before ?? { atMs: 0, ticks: new Map<string, number>() };
    if (before === null || atMs <= beforeAtMs) return null;
    const spent = sum(tree, (member) => member.cpuTicks - (ticks.get(toKey(member)) ?? 0));
    return spent / TICKS_PER_SECOND / ((atMs - beforeAtMs) / 1_000);
  }
}

function toTotals(
  tree: readonly Member[],
  { cgroup, pageBytes }: { readonly cgroup: string | null; readonly pageBytes: number },
): Omit<TreeUsage, 'cpuShare'> {
  const held = cgroup === null ? null : readCgroupUsage(cgroup);
  const pids = tree.map(({ pid }) => pid);
  const ticks = sum(tree, ({ cpuTicks, childTicks }) => cpuTicks + childTicks);
  const disks = held?.readBytes == null ? pids.map(readDiskBytes) : [];
  return {
    cpuMs: held?.cpuMs ?? (ticks * 1_000) / TICKS_PER_SECOND,
    memoryBytes: held?.memoryBytes ?? sum(tree, ({ pages }) => pages) * pageBytes,
    peakMemoryBytes: held?.peakMemoryBytes ?? findLargestPeak(pids),
    readBytes: held?.readBytes ?? addKnown(disks.map(({ readBytes }) => readBytes)),
    writtenBytes: held?.writtenBytes ?? addKnown(disks.map(({ writtenBytes }) => writtenBytes)),
    pids,
  };
}

function sum<Item>(items: readonly Item[], toNumber: (item: Item) => number): number {
  return items.reduce((total, item) => total + toNumber(item), 0);
}

/** Returns `null` where one is unknown. */
function addKnown(figures: readonly (number | null)[]): number | null {
  const known = figures.filter((figure) => figure !== null);
  return known.length === figures.length ? sum(known, (figure) => figure) : null;
}

function findLargestPeak(pids: readonly number[]): number | null {
  const peaks = pids.flatMap((pid) => {
    const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(readProcText(`/proc/${pid}/status`) ?? '')?.[1];
    return kibibytes === undefined ? [] : [Number(kibibytes) * 1024];
  });
  return peaks.length === 0 ? null : Math.max(...peaks);
}

function toKey({ pid, startTicks }: Member): string {
  return `${pid} ${startTicks}`;
}

/** Returns the members of the cgroup; without one, all descendants of the leader, and detached processes in its group or session. */
function findTree(
  leader: number,
  { members, cgroup }: { readonly members: readonly Member[]; readonly cgroup: string | null },
): readonly Member[] {
  const inCgroup = cgroup === null ? null : readCgroupPids(cgroup);
  const pids = new Set(inCgroup ?? [leader]);
  // A child may have a smaller pid than its parent, so one pass may miss some.
  for (let size = 0; inCgroup === null && size !== pids.size; ) {
    size = pids.size;
    for (const { pid, ppid, pgid, sid } of members) {
      if (pids.has(ppid) || pgid === leader || sid === leader) pids.add(pid);
    }
  }
  return members.filter(({ pid }) => pids.has(pid));
}

function readMembers(): readonly Member[] {
  return process.platform === 'linux' ? listPids().flatMap(readMember) : [];
}

function readMember(pid: number): readonly Member[] {
  const text = readProcText(`/proc/${pid}/stat`);
  // It has ended in the meantime.
  if (text === null) return [];
  // The fields follow the name, which may contain anything.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  // Numbered as in proc_pid_stat(5).
  const field = (number: number) => Number(fields[number - 3]);
  return [
    {
      pid,
      ppid: field(4),
      pgid: field(5),
      sid: field(6),
      startTicks: fields[22 - 3] ?? '',
      cpuTicks: field(14) + field(15),
      childTicks: field(16) + field(17),
      pages: field(24),
    },
  ];
}

/** Estimates the page size, which Node does not expose, from its own size in bytes and in pages. */
function findPageBytes(): number {
  const pages = process.platform === 'linux' ? (readMember(process.pid)[0]?.pages ?? 0) : 0;
  return pages === 0 ? 4096 : 2 ** Math.round(Math.log2(process.memoryUsage.rss() / pages));
}
