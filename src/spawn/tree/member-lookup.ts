import type { TreeMember } from '../../../machines/process/context.ts';
import type { Clock } from '../../clock/clock.ts';
import { keepForTurn } from '../../clock/keep-for-turn.ts';
import { readCgroupPids } from '../cgroup/cgroup-files.ts';
import { findMembers, type Members } from './find-members.ts';
import { ownsPid, type ProcessIdentity } from './identity.ts';
import type { IsForeign, ProcessEntry, ProcessTable } from './process-table.ts';

/** Finds the members of one tree and remembers them between two lookups. */
export interface MemberLookup {
  /** Reads the process table and returns all living members. Calls of one turn share a search: an end begins its watch and sends its signal in one. */
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

interface MemberLookupOptions {
  readonly identity: ProcessIdentity;
  readonly table: ProcessTable;
  readonly clock: Clock;
  readonly isForeign: IsForeign | undefined;
  readonly describe: (entry: ProcessEntry) => TreeMember;
}

export function createMemberLookup(options: MemberLookupOptions): MemberLookup {
  const { identity, table, clock, describe } = options;
  const group = createGroupMemory(clock);
  let leaderIsCollected = false;
  let known = new Map<string, TreeMember>();
  let checkSize = firstCheckSize;

  const isLeader = (member: { pid: number; startedAt: string }): boolean =>
    member.pid === identity.pid && member.startedAt === identity.startedAt;

  const isInGroup = ({ pgid }: { pgid: number }): boolean => pgid === identity.pgid;

  /** Tells whether a process may be foreign, such as a daemon of troupe that a member has just started. A lineage alone proves nothing. */
  const isDetached = ({ sid }: ProcessEntry): boolean => sid !== identity.sid;

  async function search(): Promise<Members> {
    const { holder, younger, held } = await readCandidates(options);
    const leaderOwnsPid = !leaderIsCollected && ownsPid(identity, holder);
    const others = younger.filter((entry) => entry.alive && entry.pid !== process.pid && !isLeader(entry));
    const entries = leaderOwnsPid && holder?.alive ? [holder, ...others] : others;
    const inCgroup = new Set(held?.map(({ pid }) => pid));
    const elsewhere = others.filter(({ pid }) => !inCgroup.has(pid));
    const carriers = [...(await table.filterCarriers(identity.cookie, elsewhere)), ...(held ?? [])];
    const isPidReused = holder !== null && !ownsPid(identity, holder);
    const foreign = new Set<ProcessEntry>();
    const checked = new Set(carriers);
    for (;;) {
      // No `await` up to the result: a concurrent lookup may have found a member that has just overwritten its environment.
      const own = entries.filter((entry) => !foreign.has(entry));
      const knownEntries = own.filter((entry) => known.has(toKey(entry)));
      const groupIsOurs = leaderOwnsPid || (!isPidReused && group.mayBeOurs(knownEntries.some(isInGroup)));
      const found = findMembers({ identity, entries: own, carriers, known: knownEntries, groupIsOurs });
      // Only the few members without a mark are checked, because all processes would be many.
      const unchecked = found.members.filter((entry) => isDetached(entry) && !checked.has(entry));
      if (unchecked.length === 0) {
        if (leaderOwnsPid || found.groups.has(identity.pgid)) group.noteSeen();
        known = new Map(found.members.map((entry) => [toKey(entry), describe(entry)]));
        const members = new Set(found.members);
        return {
          ...found,
          held: inCgroup,
          unclaimed: held === null ? others.filter((entry) => !members.has(entry)) : [],
        };
      }
      for (const entry of unchecked) checked.add(entry);
      for (const entry of await table.filterForeign(identity.cookie, unchecked)) foreign.add(entry);
    }
  }

  const find = keepForTurn(search);

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
    if ([...known.values()].some(isInGroup)) group.noteSeen();
    return known.size > 0;
  }

  return {
    find,
    sample,
    isKnownMemberAlive,
    known: () => [...known.values()],
    knownAs: (entry) => known.get(toKey(entry)),
    isLeader,
    leaderExited: (groupExists) => {
      leaderIsCollected = true;
      if (groupExists) group.noteSeen();
      else group.noteEnd();
    },
  };
}

/** Remembers when members were seen in the group of a leader that has ended. */
function createGroupMemory(clock: Clock) {
  /** `true` once the group is empty: its number may be reused from then on. */
  let hasEnded = false;
  let seenAtMs = Number.NEGATIVE_INFINITY;
  return {
    noteSeen: (): void => {
      seenAtMs = clock.nowMs();
    },
    noteEnd: (): void => {
      hasEnded = true;
    },
    /** Tells whether the number of the group still names it. */
    mayBeOurs: (hasKnownMember: boolean): boolean =>
      !hasEnded && (hasKnownMember || clock.nowMs() - seenAtMs < pgidReuseSafeMs),
  };
}

/** Reads the leader first, so that what it started before it died is among the processes that began since. */
async function readCandidates({ identity, table, isForeign }: MemberLookupOptions) {
  const [holder = null] = await table.readAll([identity.pid]);
  const began = await table.listSince(identity, isForeign);
  const pids = identity.cgroup ? readCgroupPids(identity.cgroup) : null;
  /** Members in the cgroup of the tree; `null` without a cgroup. */
  const held = pids === null ? null : await table.readAll(pids);
  const younger = [...new Map([...began, ...(held ?? [])].map((entry) => [entry.pid, entry])).values()];
  return { holder, younger, held };
}

/** Key that names one process for ever. */
export function toKey({ pid, startedAt }: { pid: number; startedAt: string }): string {
  return `${pid}@${startedAt}`;
}
