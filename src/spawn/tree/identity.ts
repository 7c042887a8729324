import { toCookie } from '../environment.ts';
import type { ProcessEntry, ProcessTable, TableScope } from './process-table.ts';

/** Identity of a process, which stays unique after its pid was reused. Plain JSON. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly pgid: number;
  readonly sid: number;
  /** Start time in the unit of the process table. */
  readonly startedAt: string;
  readonly bootId: string | null;
  readonly pidNamespace: string | null;
  /** Text that marks all descendants in their environment, see `toCookie`. */
  readonly cookie: string;
  /** Absolute path of the cgroup that holds all descendants; `null` or absent where none does. */
  readonly cgroup?: string | null;
}

/**
 * Identifies the process that has `pid` now. To be called in the turn of its start: the pid cannot be reused until its exit is
 * collected, in a later turn. `null` where there is none.
 */
export async function identify(
  table: ProcessTable,
  { pid, id, cgroup = null }: { pid: number; id: string; cgroup?: string | null },
): Promise<ProcessIdentity | null> {
  const entry = await table.read(pid);
  if (entry === null) return null;
  const { bootId, pidNamespace } = await table.scope();
  const { pgid, sid, startedAt } = entry;
  return { pid, pgid, sid, startedAt, bootId, pidNamespace, cookie: toCookie(id), cgroup };
}

/** Tells whether `entry` is the same process and alive; a zombie counts as dead. */
export function isStillAlive(identity: ProcessIdentity, entry: ProcessEntry | null): boolean {
  return entry?.alive === true && ownsPid(identity, entry);
}

/** Tells whether `entry` is the same process or its zombie, which keeps the pid from being reused. */
export function ownsPid(
  identity: Pick<ProcessIdentity, 'pid' | 'startedAt'>,
  entry: ProcessEntry | null,
): boolean {
  return entry?.pid === identity.pid && entry.startedAt === identity.startedAt;
}

/** Tells whether pids of one scope are valid in the other: same boot, same pid namespace. An unknown boot never matches. */
export function isSameScope(theirs: TableScope, ours: TableScope): boolean {
  return ours.bootId !== null && theirs.bootId === ours.bootId && theirs.pidNamespace === ours.pidNamespace;
}
