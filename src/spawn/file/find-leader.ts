import { toCookie } from '../environment.ts';
import { isSameScope, isStillAlive, type ProcessIdentity } from '../tree/identity.ts';
import type { ProcessEntry, ProcessTable } from '../tree/process-table.ts';
import type { KnownLaunch, LaunchStatus } from './status-file.ts';

/**
 * Who leads according to `status`, if he is alive. Without a start time that somebody took down, a process counts as him that is the
 * launcher's child or carries the cookie: whoever has got his number since does neither.
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

/** Whether the launcher is alive: it carries the cookie as long as it lives. */
export async function findLauncher(
  { launcher }: LaunchStatus,
  { table, id }: { table: ProcessTable; id: string },
): Promise<ProcessEntry | null> {
  const entry = launcher === null ? null : await table.read(launcher);
  if (entry?.alive !== true) return null;
  const [carrier = null] = await table.filterCarriers(toCookie(id), [entry]);
  return carrier;
}

/** Who leads according to a record, if he is alive. His launcher is the parent that carries the cookie; any other parent is none. */
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

/** Whether anybody alive was started as that process or by it. Reads the whole process table. */
export async function hasLiveCarrier(table: ProcessTable, id: string): Promise<boolean> {
  return (await table.filterCarriers(toCookie(id), await table.list())).length > 0;
}

/**
 * A table in which nobody is taken for a descendant who only launched: it carries the cookie as well and may have begun in the
 * same tick, but must not be signalled with the tree, since it records the end, nor be called a leftover; the same goes for what it
 * starts beside the leader, who is known without the table.
 */
export function withoutLauncher(table: ProcessTable, launcherPid: number | null): ProcessTable {
  if (launcherPid === null) return table;
  const others = (entries: readonly ProcessEntry[]) =>
    entries.filter(({ pid, ppid }) => pid !== launcherPid && ppid !== launcherPid);
  return {
    ...table,
    list: async () => others(await table.list()),
    listSince: async (elder, isStranger) => others(await table.listSince(elder, isStranger)),
  };
}
