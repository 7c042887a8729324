import type { Clock } from '../../clock/clock.ts';
import { listPids, readProcText } from './proc-entry.ts';

/** CPU and memory of a leader and everything it started. */
export interface TreeUsage {
  /** Share since the last measurement, 1 being one processor; `null` at the first one. */
  readonly cpuShare: number | null;
  /** Resident memory; shared pages count for each process. */
  readonly memoryBytes: number;
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
        const tree = findTree(leader, members);
        if (tree.length === 0) return [];
        const memoryBytes = tree.reduce((sum, { pages }) => sum + pages, 0) * pageBytes;
        return [[leader, { cpuShare: toShare(tree, atMs), memoryBytes, pids: tree.map(({ pid }) => pid) }]];
      });
      before = { atMs, ticks: new Map(members.map((member) => [toKey(member), member.cpuTicks])) };
      return new Map(usages);
    },
  };

  function toShare(tree: readonly Member[], atMs: number): number | null {
    const { atMs: beforeAtMs, ticks } = before ?? { atMs: 0, ticks: new Map<string, number>() };
    if (before === null || atMs <= beforeAtMs) return null;
    const spent = tree.reduce((sum, member) => sum + member.cpuTicks - (ticks.get(toKey(member)) ?? 0), 0);
    return spent / TICKS_PER_SECOND / ((atMs - beforeAtMs) / 1_000);
  }
}

function toKey({ pid, startTicks }: Member): string {
  return `${pid} ${startTicks}`;
}

/** Returns all descendants of the leader, and detached processes in its group or session. */
function findTree(leader: number, members: readonly Member[]): readonly Member[] {
  const pids = new Set([leader]);
  // A child may have a smaller pid than its parent, so one pass may miss some.
  for (let size = 0; size !== pids.size; ) {
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
      pages: field(24),
    },
  ];
}

/** Estimates the page size, which Node does not expose, from its own size in bytes and in pages. */
function findPageBytes(): number {
  const pages = process.platform === 'linux' ? (readMember(process.pid)[0]?.pages ?? 0) : 0;
  return pages === 0 ? 4096 : 2 ** Math.round(Math.log2(process.memoryUsage.rss() / pages));
}
