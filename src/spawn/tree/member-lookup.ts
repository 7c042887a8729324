import type { TreeMember } from '../../../machines/process/context.ts';
import type { Clock } from '../../clock/clock.ts';
import { readCgroupPids } from '../cgroup/cgroup-files.ts';
import { findMembers, type Members } from './find-members.ts';
import { ownsPid, type ProcessIdentity } from './identity.ts';
import type { IsForeign, ProcessEntry, ProcessTable } from './process-table.ts';

/** Finds the members of one tree and remembers them between two lookups. */
export interface MemberLookup {
  /** Reads the process table and returns all living members. */
  find(): Promise<Members>;
  /**
   * Remembers those of `entries` whose parent is a member, or all living members with `null`. Returns those that lead a group of their own
   * and carry no mark. Cheap, except with `null`.
   */
  sample(entries: readonly ProcessEntry[] | null): Promise<readonly ProcessEntry[]>;
  /** Cheap: checks only the members already known, and forgets those that are dead. */
  isKnownMemberAlive(): Promise<boolean>;
  /** Members that the last of both calls found alive. */
  known(): readonly TreeMember[];
  knownAs(entry: ProcessEntry): TreeMember | undefined;
  /** Processes that began after the leader, at the last lookup, and are not known to be members; empty if a cgroup holds the members. */
  unclaimed(): readonly ProcessEntry[];
  isLeader(member: { pid: number; startedAt: string }): boolean;
  /** Notes that the leader's pid may be reused from now on. */
  leaderExited(groupExists: boolean): void;
}

/**
 * Time for which the pgid of a group cannot have been reused after a member was seen in it: the kernel would have had to assign all
 * its numbers in between. On a busy machine one lookup alone may take half of it.
 */
const pgidReuseSafeMs = 1_000;

/** Number of remembered members from which samples forget dead ones. */
const firstCheckSize = 64;

export function createMemberLookup(options: {
  readonly identity: ProcessIdentity;
  readonly table: ProcessTable;
  readonly clock: Clock;
  readonly isForeign: IsForeign | undefined;
  readonly describe: (entry: ProcessEntry) => TreeMember;
}): MemberLookup {
  const { identity, table, clock, isForeign, describe } = options;
  let leaderIsCollected = false;
  /** `true` once the group is empty: its number may be reused from then on. */
  let groupHasEnded = false;
  let known = new Map<string, TreeMember>();
  let unclaimed: readonly ProcessEntry[] = [];
  let isHeld = false;
  let groupSeenAtMs = Number.NEGATIVE_INFINITY;
  let checkSize = firstCheckSize;

  const isLeader = (member: { pid: number; startedAt: string }): boolean =>
    member.pid === identity.pid && member.startedAt === identity.startedAt;

  /** Tells whether a process may be foreign, such as a daemon of troupe that a member has just started. A lineage alone proves nothing. */
  const isDetached = ({ sid }: ProcessEntry): boolean => sid !== identity.sid;

  /** Reads the leader first, so that what it started before it died is among the processes that began since. */
  async function find(): Promise<Members> {
    const [holder = null] = await table.readAll([identity.pid]);
    const leaderOwnsPid = !leaderIsCollected && ownsPid(identity, holder);
    const younger = await table.listSince(identity, isForeign);
    const held = await readHeld();
    const others = [...new Map([...younger, ...held].map((entry) => [entry.pid, entry])).values()].filter(
      (entry) => entry.alive && entry.pid !== process.pid && !isLeader(entry),
    );
    const entries = leaderOwnsPid && holder?.alive ? [holder, ...others] : others;
    const carriers = [...(await table.filterCarriers(identity.cookie, others)), ...held];
    const isPidReused = holder !== null && !ownsPid(identity, holder);
    const foreign = new Set<ProcessEntry>();
    const checked = new Set(carriers);
    for (;;) {
      // No `await` up to the result: a concurrent lookup may have found a member that has just overwritten its environment.
      const own = entries.filter((entry) => !foreign.has(entry));
      const knownEntries = own.filter((entry) => known.has(toKey(entry)));
      const groupIsOurs =
        leaderOwnsPid ||
        (!isPidReused &&
          !groupHasEnded &&
          (knownEntries.some(({ pgid }) => pgid === identity.pgid) ||
            clock.nowMs() - groupSeenAtMs < pgidReuseSafeMs));
      const found = findMembers({ identity, entries: own, carriers, known: knownEntries, groupIsOurs });
      // Only the few members without a mark are checked, because all processes would be many.
      const unchecked = found.members.filter((entry) => isDetached(entry) && !checked.has(entry));
      if (unchecked.length === 0) {
        if (leaderOwnsPid || found.groups.has(identity.pgid)) groupSeenAtMs = clock.nowMs();
        known = new Map(found.members.map((entry) => [toKey(entry), describe(entry)]));
        const members = new Set(found.members);
        unclaimed = others.filter((entry) => !members.has(entry));
        return { ...found, held: new Set(held.map(({ pid }) => pid)) };
      }
      for (const entry of unchecked) checked.add(entry);
      for (const entry of await table.filterForeign(identity.cookie, unchecked)) foreign.add(entry);
    }
  }

  /** Reads the members that the cgroup of the tree holds. */
  async function readHeld(): Promise<readonly ProcessEntry[]> {
    const pids = identity.cgroup ? readCgroupPids(identity.cgroup) : null;
    isHeld = pids !== null;
    return pids === null ? [] : table.readAll(pids);
  }

  async function sample(entries: readonly ProcessEntry[] | null): Promise<readonly ProcessEntry[]> {
    const children: ProcessEntry[] = [];
    if (entries === null) children.push(...(await find()).members.filter((entry) => !isLeader(entry)));
    for (const entry of entries ?? []) {
      if (!entry.alive) continue;
      const parent = findMember(entry.ppid);
      // A pid that we remember may belong to another process by now.
      const isChild = parent !== undefined && ownsPid(parent, await table.read(entry.ppid));
      if (!isChild && !known.has(toKey(entry))) continue;
      known.set(toKey(entry), describe(entry));
      children.push(entry);
    }
    if (children.length === 0) return [];
    const foreign = await table.filterForeign(identity.cookie, children.filter(isDetached));
    for (const entry of foreign) known.delete(toKey(entry));
    if (known.size >= checkSize) {
      await isKnownMemberAlive();
      checkSize = Math.max(firstCheckSize, known.size * 2);
    }
    const marked = new Set([...foreign, ...(await table.filterCarriers(identity.cookie, children))]);
    return children.filter((entry) => entry.pid === entry.pgid && !marked.has(entry));
  }

  function findMember(pid: number): Pick<ProcessIdentity, 'pid' | 'startedAt'> | undefined {
    return pid === identity.pid ? identity : [...known.values()].find((member) => member.pid === pid);
  }

  async function isKnownMemberAlive(): Promise<boolean> {
    const entries = await table.readAll([...known.values()].map(({ pid }) => pid));
    const alive = new Set(entries.filter((entry) => entry.alive).map(toKey));
    known = new Map([...known].filter(([key]) => alive.has(key)));
    if ([...known.values()].some(({ pgid }) => pgid === identity.pgid)) groupSeenAtMs = clock.nowMs();
    return known.size > 0;
  }

  return {
    find,
    sample,
    isKnownMemberAlive,
    known: () => [...known.values()],
    knownAs: (entry) => known.get(toKey(entry)),
    unclaimed: () => (isHeld ? [] : unclaimed),
    isLeader,
    leaderExited: (groupExists) => {
      leaderIsCollected = true;
      groupSeenAtMs = clock.nowMs();
      if (!groupExists) groupHasEnded = true;
    },
  };
}

/** Key that names one process for ever. */
export function toKey({ pid, startedAt }: { pid: number; startedAt: string }): string {
  return `${pid}@${startedAt}`;
}
