import { toCookie } from '../environment.ts';
import type { ProcessEntry, ProcessTable, TableScope } from './process-table.ts';

/** What tells one process from every other one, also after its pid was given away. Can be written down as JSON. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly pgid: number;
  readonly sid: number;
  /** In the unit of the table that was asked. */
  readonly startedAt: string;
  readonly bootId: string | null;
  readonly pidNamespace: string | null;
  /** The text by which everything it starts is found in the environment, see `toCookie`. */
  readonly cookie: string;
}

/**
 * Takes down who has `pid` now. Call it in the same turn in which the process was started: until its exit is
 * collected, which needs a later turn, the number cannot be another's. `null` when there is none.
 */
export async function identify(
  table: ProcessTable,
  { pid, id }: { pid: number; id: string },
): Promise<ProcessIdentity | null> {
  const entry = await table.read(pid);
  if (entry === null) return null;
  const { bootId, pidNamespace } = await table.scope();
  const { pgid, sid, startedAt } = entry;
  return { pid, pgid, sid, startedAt, bootId, pidNamespace, cookie: toCookie(id) };
}

/** Whether `entry` is that process, and alive: a zombie counts as dead. */
export function isStillAlive(identity: ProcessIdentity, entry: ProcessEntry | null): boolean {
  return entry?.alive === true && ownsPid(identity, entry);
}

/** Whether `entry` is that process or what is left of it: as long as it is there, nobody else gets its number. */
export function ownsPid(
  identity: Pick<ProcessIdentity, 'pid' | 'startedAt'>,
  entry: ProcessEntry | null,
): boolean {
  return entry?.pid === identity.pid && entry.startedAt === identity.startedAt;
}

/** Whether numbers of one scope mean anything in the other: the same boot, the same pid namespace. An unknown boot is no boot of ours. */
export function isSameScope(theirs: TableScope, ours: TableScope): boolean {
  return ours.bootId !== null && theirs.bootId === ours.bootId && theirs.pidNamespace === ours.pidNamespace;
}
