import type { ProcessSignal, TreeMember } from '../../../machines/process/context.ts';
import type { Cancel, Clock } from '../../clock/clock.ts';
import { findMembers, type Members } from './find-members.ts';
import { holdsNumber, type ProcessIdentity } from './identity.ts';
import type { IsStranger, ProcessEntry, ProcessTable } from './process-table.ts';
import { groupExists, type SendSignal, sendToMembers } from './send-signal.ts';
import { type LifeWatch, watchLife } from './watch-life.ts';

export interface ProcessTreeOptions {
  readonly identity: ProcessIdentity;
  readonly table: ProcessTable;
  readonly clock: Clock;
  /** Leaders of other trees that this program has started itself, as long as their exit was not collected. */
  readonly isStranger?: IsStranger;
  /** What may be shown of a command line. Default: all of it. */
  readonly redact?: (commandLine: string) => string;
  /** Told when the process table could not be read; the tree is looked at again later. */
  readonly reportError?: (error: unknown) => void;
  /** kill(2), as `process.kill`. */
  readonly send?: SendSignal;
}

/** One leader and whatever came of it, for as long as any of it lives. */
export interface ProcessTree {
  /** What is alive beside the leader. */
  survey(): Promise<readonly TreeMember[]>;
  /** What, at the last look, had begun since the leader did and is perhaps its own, which cannot be proven. No signal is sent to it. */
  suspects(): Promise<readonly TreeMember[]>;
  /**
   * Sends `signal` once to every member, and SIGCONT after it to those that are halted; settles when it is sent.
   * Members found later by `watch` get it then. Who has left the tree's ties behind, or is another's by
   * now, gets nothing. Never rejects.
   */
  signal(signal: ProcessSignal): Promise<void>;
  /**
   * Looks until nothing is alive, and then calls `onGone` once. `onAlive` is told who is alive, the leader among them,
   * at the first look and whenever that has changed.
   */
  watch(listener: TreeListener): Cancel;
  /** Looks at once instead of at the next turn of `watch`. */
  recheck(): void;
  /** The leader's exit was collected: its pid may be another's from now on. */
  leaderExited(): void;
}

export interface TreeListener {
  /** `ended`: members beside the leader that were signalled and are now dead. */
  onGone(ended: readonly TreeMember[]): void;
  onAlive(alive: readonly TreeMember[]): void;
}

/**
 * So long after one of ours was seen to hold it, the number of a group cannot have become another's: the
 * kernel would have had to give out all its numbers in between. On a busy machine one look alone may take half of it.
 */
const numberIsSafeMs = 1_000;

export function createProcessTree(options: ProcessTreeOptions): ProcessTree {
  const { identity, table, clock } = options;
  const send: SendSignal = options.send ?? ((target, name) => void process.kill(target, name));
  const reportError = options.reportError ?? (() => {});
  const redact = options.redact ?? ((commandLine: string) => commandLine);
  let leaderIsCollected = false;
  /** Once empty, the group's number is free for anybody. */
  let groupHasEnded = false;
  let known = new Map<string, TreeMember>();
  /** Begun since the leader, and not known to be its own. */
  let unclaimed: readonly ProcessEntry[] = [];
  let groupSeenAtMs = Number.NEGATIVE_INFINITY;
  let lastSignal: ProcessSignal | null = null;
  /** Who got `lastSignal`. */
  let reached = new Set<string>();
  /** Beside the leader, whoever got any signal. */
  const signalled = new Map<string, TreeMember>();
  const watches = new Set<LifeWatch>();

  /** The leader is read first: what it started before it died is then among those that began since. */
  async function look(): Promise<Members> {
    const [holder = null] = await table.readAll([identity.pid]);
    const leaderHoldsNumber = !leaderIsCollected && holdsNumber(identity, holder);
    const younger = await table.since(identity, options.isStranger);
    const others = younger.filter((entry) => entry.alive && entry.pid !== process.pid && !isLeader(entry));
    const entries = leaderHoldsNumber && holder?.alive ? [holder, ...others] : others;
    const carriers = await table.carrying(identity.cookie, others);
    // No `await` from here on: another look may have found one that has just overwritten its environment.
    const knownEntries = entries.filter((entry) => known.has(toKey(entry)));

    const numberIsAnothers = holder !== null && !holdsNumber(identity, holder);
    const groupIsOurs =
      leaderHoldsNumber ||
      (!numberIsAnothers &&
        !groupHasEnded &&
        (knownEntries.some(({ pgid }) => pgid === identity.pgid) ||
          clock.nowMs() - groupSeenAtMs < numberIsSafeMs));
    const found = findMembers({
      identity,
      entries,
      carriers,
      known: knownEntries,
      groupIsOurs,
    });
    if (leaderHoldsNumber || found.groups.has(identity.pgid)) groupSeenAtMs = clock.nowMs();
    known = new Map(found.members.map((entry) => [toKey(entry), describe(entry)]));
    const own = new Set(found.members);
    unclaimed = others.filter((entry) => !own.has(entry));
    return found;
  }

  const toMember = ({ pid, pgid, startedAt, command }: ProcessEntry): TreeMember => ({
    pid,
    pgid,
    startedAt,
    command: redact(command),
  });

  const isLeader = (member: { pid: number; startedAt: string }): boolean =>
    member.pid === identity.pid && member.startedAt === identity.startedAt;

  /** What is about to die has no command line any more: then it keeps the one it was seen with. */
  function describe(entry: ProcessEntry): TreeMember {
    return (lastSignal !== null && known.get(toKey(entry))) || toMember(entry);
  }

  async function survey(): Promise<readonly TreeMember[]> {
    try {
      const { members } = await look();
      return members.filter((entry) => !isLeader(entry)).map(describe);
    } catch (error) {
      reportError(error);
      return [...known.values()].filter((member) => !isLeader(member));
    }
  }

  async function suspects(): Promise<readonly TreeMember[]> {
    try {
      return (await table.untraceable(unclaimed)).map(toMember);
    } catch (error) {
      reportError(error);
      return [];
    }
  }

  async function signal(name: ProcessSignal): Promise<void> {
    lastSignal = name;
    reached = new Set();
    try {
      await reach(await look());
    } catch (error) {
      reportError(error);
    }
    for (const watch of watches) watch.hurry();
  }

  /** SIGKILL goes to those again that had it: only so does it reach what they started meanwhile in the same group. */
  async function reach(found: Members): Promise<void> {
    if (lastSignal === null) return;
    const signalName = lastSignal;
    const targets = found.members.filter((entry) => signalName === 'SIGKILL' || !reached.has(toKey(entry)));
    const isFirst = reached.size === 0;
    for (const entry of targets) {
      const key = toKey(entry);
      reached.add(key);
      if (!isLeader(entry)) signalled.set(key, known.get(key) ?? toMember(entry));
    }
    const groups = isFirst || signalName === 'SIGKILL' ? found.groups : new Set<number>();
    await sendToMembers({ table, send, signal: signalName, targets, groups });
  }

  /** Whether somebody known is still there; forgets who is not. */
  async function anyKnownIsAlive(): Promise<boolean> {
    const entries = await table.readAll([...known.values()].map(({ pid }) => pid));
    const alive = new Set(entries.filter((entry) => entry.alive).map(toKey));
    known = new Map([...known].filter(([key]) => alive.has(key)));
    if ([...known.values()].some(({ pgid }) => pgid === identity.pgid)) groupSeenAtMs = clock.nowMs();
    return known.size > 0;
  }

  function watch(listener: TreeListener): Cancel {
    const watching = watchLife(
      {
        anyKnownIsAlive,
        anybodyIsAlive: async () => {
          const found = await look();
          await reach(found);
          return found.members.length > 0;
        },
        alive: () => [...known.values()],
      },
      {
        clock,
        reportError,
        onAlive: (alive) => listener.onAlive(alive),
        onGone: () => {
          watches.delete(watching);
          listener.onGone([...signalled.values()]);
        },
      },
    );
    watches.add(watching);
    return () => {
      watches.delete(watching);
      watching.cancel();
    };
  }

  return {
    survey,
    suspects,
    signal,
    watch,
    recheck: () => {
      for (const each of watches) each.hurry();
    },
    leaderExited: () => {
      leaderIsCollected = true;
      groupSeenAtMs = clock.nowMs();
      if (!groupExists(send, identity.pgid)) groupHasEnded = true;
      // Whoever is known now vouches later for the number of the group; and what has daemonised itself may soon overwrite its environment.
      void look().catch(reportError);
    },
  };
}

function toKey({ pid, startedAt }: { pid: number; startedAt: string }): string {
  return `${pid}@${startedAt}`;
}
