import { toCookie } from '../environment.ts';
import { isSameScope, isStillAlive, type ProcessIdentity } from '../tree/identity.ts';
import type { ProcessEntry, ProcessTable } from '../tree/process-table.ts';
import type { KnownLaunch, LaunchStatus } from './status-file.ts';

/**
 * Finds the leader named by a status file, if it is alive. Without a recorded start time, the process must be the launcher's
 * child or carry the cookie; a process that reuses the pid does neither.
 */
export async function findLeader(
  status: LaunchStatus,
  { table, id }: { table: ProcessTable; id: string },
): Promise<ProcessEntry | null> {
  const { leader, launcher } = status;
  const entry = leader === null ? null : await table.read(leader.pid);
  if (leader === null || entry?.alive !== true) return null;
  if (leader.startedAt !== null) return entry.startedAt === leader.startedAt ? entry : null;
  if (entry.ppid === launcher) return entry;
  const [carrier = null] = await table.filterCarriers(toCookie(id), [entry]);
  return carrier;
}

/** Finds the launcher if it is alive. It carries the cookie as long as it lives. */
export async function findLauncher(
  { launcher }: LaunchStatus,
  { table, id }: { table: ProcessTable; id: string },
): Promise<ProcessEntry | null> {
  const entry = launcher === null ? null : await table.read(launcher);
  if (entry?.alive !== true) return null;
  const [carrier = null] = await table.filterCarriers(toCookie(id), [entry]);
  return carrier;
}

/** Finds the leader named by a record, if it is alive. Its launcher is the parent, provided that carries the cookie. */
export async function findRecordedLeader(
  identity: ProcessIdentity,
  { table, id }: { table: ProcessTable; id: string },
): Promise<KnownLaunch | null> {
  if (!isSameScope(identity, await table.scope())) return null;
  const entry = await table.read(identity.pid);
  if (entry === null || !isStillAlive(identity, entry)) return null;
  const { pid, startedAt, ppid } = entry;
  const parent = await table.read(ppid);
  const [launcher] = parent === null ? [] : await table.filterCarriers(toCookie(id), [parent]);
  return { launcher: launcher?.pid ?? null, leader: { pid, startedAt } };
}

/** Tells whether a living process carries the id in its lineage. Reads the whole process table. */
export async function hasLiveCarrier(table: ProcessTable, id: string): Promise<boolean> {
  return (await table.filterCarriers(toCookie(id), await table.list())).length > 0;
}

/**
 * Hides a launcher and what it starts beside the leader from a process table. The launcher carries the cookie and may have begun
 * in the same tick, but it records the end, so it must not be signalled with the tree nor be called a leftover.
 */
export function withoutLauncher(table: ProcessTable, launcherPid: number | null): ProcessTable {
  if (launcherPid === null) return table;
  const others = (entries: readonly ProcessEntry[]) =>
    entries.filter(({ pid, ppid }) => pid !== launcherPid && ppid !== launcherPid);
  return {
    ...table,
    list: async () => others(await table.list()),
    listSince: async (leader, isForeign) => others(await table.listSince(leader, isForeign)),
  };
}
