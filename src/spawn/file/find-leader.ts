import { toCookie } from '../environment.ts';
import type { ProcessEntry, ProcessTable } from '../tree/process-table.ts';
import type { LaunchStatus } from './status-file.ts';

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
