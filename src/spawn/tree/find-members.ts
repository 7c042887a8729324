import { ownsPid, type ProcessIdentity } from './identity.ts';
import type { ProcessEntry } from './process-table.ts';

interface Evidence {
  readonly identity: ProcessIdentity;
  /** Living processes, including the leader. */
  readonly entries: readonly ProcessEntry[];
  /** Carriers of the cookie among `entries`. */
  readonly carriers: readonly ProcessEntry[];
  /** Earlier members among `entries`. */
  readonly known: readonly ProcessEntry[];
  /** True if the pgid of the leader's group cannot have been reused. */
  readonly groupIsOurs: boolean;
}

/** Result of a search for the members of a tree. */
export interface Members {
  /** Members of the tree, including a living leader. */
  readonly members: readonly ProcessEntry[];
  /** Groups without foreign processes. */
  readonly groups: ReadonlySet<number>;
  /** Pids of the members that the cgroup of the tree holds. */
  readonly held: ReadonlySet<number>;
  /** Processes that began after the leader and are not known to be members; empty if a cgroup holds the members. */
  readonly unclaimed: readonly ProcessEntry[];
}

/**
 * Finds the members of a tree: the leader, its group and session, carriers of the cookie, earlier members, and the children,
 * groups and sessions of each of these. Any one of these ties is enough: a process may leave its parent, its group and its
 * environment, but hardly all at once.
 */
export function findMembers({
  identity,
  entries,
  carriers,
  known,
  groupIsOurs,
}: Evidence): Pick<Members, 'members' | 'groups'> {
  const byPid = new Map(entries.map((entry) => [entry.pid, entry]));
  const members = new Map<number, ProcessEntry>();
  const ids = new Set<number>((groupIsOurs ? [identity.pgid, identity.pid] : []).filter((id) => id > 1));

  /** Claims a group or session with a member in it, unless the process it is named after is foreign. */
  function claim(id: number): void {
    if (id > 1 && (!byPid.has(id) || members.has(id))) ids.add(id);
  }

  function accept(entry: ProcessEntry): void {
    members.set(entry.pid, entry);
    ids.add(entry.pid);
    // The session in which the leader was born may be shared; a member that left it made a new one.
    if (entry.sid === identity.sid && identity.sid !== identity.pid) return;
    claim(entry.pgid);
    claim(entry.sid);
  }

  for (const entry of [...carriers, ...known]) members.set(entry.pid, entry);
  const leader = byPid.get(identity.pid);
  if (leader !== undefined && ownsPid(identity, leader)) members.set(leader.pid, leader);
  for (const entry of [...members.values()]) accept(entry);

  for (let before = -1; before !== members.size; ) {
    before = members.size;
    for (const entry of entries) {
      if (members.has(entry.pid)) continue;
      if (ids.has(entry.pgid) || ids.has(entry.sid) || members.has(entry.ppid)) accept(entry);
    }
  }
  const groups = new Set([...members.values()].map(({ pgid }) => pgid).filter((pgid) => ids.has(pgid)));
  return { members: [...members.values()], groups };
}
