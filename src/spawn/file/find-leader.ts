import { toCookie } from '../environment.ts';
import { isFromScope, isSame, type ProcessIdentity } from '../tree/identity.ts';
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
  const [carrier = null] = await table.carrying(toCookie(id), [entry]);
  return carrier;
}

/** Whether the launcher is alive: it carries the cookie as long as it lives. */
export async function findLauncher(
  { launcher }: LaunchStatus,
  { table, id }: { table: ProcessTable; id: string },
): Promise<ProcessEntry | null> {
  const entry = launcher === null ? null : await table.read(launcher);
  if (entry?.alive !== true) return null;
  const [carrier = null] = await table.carrying(toCookie(id), [entry]);
  return carrier;
}

/** Who leads according to a record, if he is alive. His launcher is the parent that carries the cookie; any other parent is none. */
export async function findRecorded(
  identity: ProcessIdentity,
  { table, id }: { table: ProcessTable; id: string },
): Promise<KnownLaunch | null> {
  if (!isFromScope(identity, await table.scope())) return null;
  const entry = await table.read(identity.pid);
  if (entry === null || !isSame(identity, entry)) return null;
  const { pid, startedAt, ppid } = entry;
  const parent = await table.read(ppid);
  const [launcher] = parent === null ? [] : await table.carrying(toCookie(id), [parent]);
  return { launcher: launcher?.pid ?? null, leader: { pid, startedAt } };
}
