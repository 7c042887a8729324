import type {
  ProcessSignal,
  SentSignal,
  SignalTarget,
  TreeMember,
} from '../../../machines/process/context.ts';
import type { Cancel, Clock } from '../../clock/clock.ts';
import { toSignalNumber } from '../../config/signal-name.ts';
import { killCgroup, thawCgroup } from '../cgroup/cgroup-files.ts';
import type { Members } from './find-members.ts';
import type { ProcessIdentity } from './identity.ts';
import { createMemberLookup, toKey } from './member-lookup.ts';
import { createTreePause, type TreePause } from './pause-tree.ts';
import type { IsForeign, ProcessEntry, ProcessTable } from './process-table.ts';
import { endMembers, groupExists, type SendSignal, sendToMembers, toSent } from './send-signal.ts';
import { type LivenessWatch, watchLiveness } from './watch-liveness.ts';

interface ProcessTreeOptions {
  readonly identity: ProcessIdentity;
  readonly table: ProcessTable;
  readonly clock: Clock;
  /** Tells whether a pid leads another tree of this program whose exit was not collected yet. */
  readonly isForeign?: IsForeign;
  /** Hides secrets in a command line. Default: nothing is hidden. */
  readonly redact?: (commandLine: string) => string;
  /** Called when the process table could not be read; the tree is looked at again later. */
  readonly reportError?: (error: unknown) => void;
  /** kill(2), as `process.kill`. */
  readonly send?: SendSignal;
}

/** Leader and all processes that descend from it, for as long as one of them lives. */
export interface ProcessTree extends Pick<TreePause, 'pause' | 'resume'> {
  /**
   * Returns the living members beside the leader. After the leader's exit, a new member may be missing for up to a minute while a known one
   * lives.
   */
  survey(): Promise<readonly TreeMember[]>;
  /** Returns processes that began after the leader, at the last look, and may belong to it without proof. They are never signalled. */
  suspects(): Promise<readonly TreeMember[]>;
  /**
   * Sends `signal` once to every member so that it ends, and continues halted ones; resolves when it is sent. Members that `watch` finds
   * later get it then. Processes that have lost every tie to the tree, or whose pid was reused, get nothing. Never rejects.
   */
  end(signal: ProcessSignal): Promise<void>;
  /** Sends a signal once to the members that live now, or to the leader alone, and returns what was sent. */
  signal(signal: ProcessSignal, to: SignalTarget): Promise<readonly SentSignal[]>;
  /**
   * Looks until no member is alive, and then calls `onGone` once. `onAliveChanged` gets the living members, the leader among them,
   * at the first look and after each change; `onSent` gets each signal of `end` that reached a member for the first time.
   */
  watch(listener: TreeListener): Cancel;
  /** Looks at once instead of at the next turn of `watch`. */
  recheck(): void;
  /** Notes that the leader's exit was collected: its pid may be reused from now on. */
  leaderExited(): void;
}

interface TreeListener {
  /** `ended`: members beside the leader that were signalled and are now dead. */
  onGone(ended: readonly TreeMember[]): void;
  onAliveChanged(alive: readonly TreeMember[]): void;
  onSent?(sent: SentSignal): void;
}

/** Pauses between searches for new leftovers while a known one is alive. Searches fall on multiples of them, so that many trees share one. */
const firstSearchPauseMs = 2_000;
const maxSearchPauseMs = 64_000;

export function createProcessTree(options: ProcessTreeOptions): ProcessTree {
  const { identity, table, clock, isForeign } = options;
  const send: SendSignal = options.send ?? sendBySystem;
  const reportError = options.reportError ?? (() => {});
  const redact = options.redact ?? ((commandLine: string) => commandLine);
  const watches = new Map<LivenessWatch, TreeListener>();
  const lookup = createMemberLookup({ identity, table, clock, isForeign, describe });
  const { isLeader } = lookup;
  let hasLeaderExited = false;
  let search = { atMs: Number.NEGATIVE_INFINITY, pauseMs: firstSearchPauseMs };
  /** Suspects of the last search; `null` until they are asked for. */
  let suspected: readonly TreeMember[] | null = null;
  const cgroup = identity.cgroup ?? null;
  const halting = createTreePause({ cgroup, find: lookup.find, table, send, clock });
  const signals = createTreeSignals({
    ...{ cgroup, table, send, isHalted: halting.isHalted },
    isLeader,
    toMember: (entry) => lookup.knownAs(entry) ?? toMember(entry),
    onSent: (sent) => {
      for (const listener of watches.values()) listener.onSent?.(sent);
    },
  });

  const toMember = ({ pid, pgid, startedAt, command }: ProcessEntry): TreeMember => ({
    pid,
    pgid,
    startedAt,
    command: redact(command),
  });

  /** Describes a member. A dying process has no command line any more, so it keeps the one that was seen before. */
  function describe(entry: ProcessEntry): TreeMember {
    return (signals.last() !== null && lookup.knownAs(entry)) || toMember(entry);
  }

  async function survey(): Promise<readonly TreeMember[]> {
    try {
      if (clock.nowMs() < search.atMs && (await lookup.isKnownMemberAlive())) return knownBesideLeader();
      const { members } = await lookup.find();
      suspected = null;
      const others = members.filter((entry) => !isLeader(entry)).map(describe);
      if (hasLeaderExited && others.length > 0) postponeSearch();
      return others;
    } catch (error) {
      reportError(error);
      return knownBesideLeader();
    }
  }

  function knownBesideLeader(): readonly TreeMember[] {
    return lookup.known().filter((member) => !isLeader(member));
  }

  /** Postpones the next search for new leftovers, each time for longer: surveys repeat until no leftover is alive. */
  function postponeSearch(): void {
    search = {
      atMs: Math.ceil((clock.nowMs() + search.pauseMs) / search.pauseMs) * search.pauseMs,
      pauseMs: Math.min(search.pauseMs * 2, maxSearchPauseMs),
    };
  }

  async function suspects(): Promise<readonly TreeMember[]> {
    try {
      suspected ??= (await table.filterUntraceable(lookup.unclaimed())).map(toMember);
      return suspected;
    } catch (error) {
      reportError(error);
      return [];
    }
  }

  async function end(name: ProcessSignal): Promise<void> {
    halting.cancel();
    signals.begin(name);
    suspected = null;
    try {
      await signals.sendTo(await lookup.find());
    } catch (error) {
      reportError(error);
    }
    for (const watch of watches.keys()) watch.checkNow();
  }

  async function signal(name: ProcessSignal, to: SignalTarget): Promise<readonly SentSignal[]> {
    const { members, groups } = await lookup.find();
    const targets = to === 'leader' ? members.filter(isLeader) : members;
    return sendToMembers({
      table,
      send,
      signal: name,
      targets,
      groups: to === 'leader' ? new Set() : groups,
    });
  }

  function watch(listener: TreeListener): Cancel {
    const watching = watchLiveness(
      {
        isKnownMemberAlive: lookup.isKnownMemberAlive,
        isAnyMemberAlive: async () => {
          const found = await lookup.find();
          suspected = null;
          await signals.sendTo(found);
          return found.members.length > 0;
        },
        alive: lookup.known,
      },
      {
        clock,
        reportError,
        onAlive: (alive) => listener.onAliveChanged(alive),
        onGone: () => {
          watches.delete(watching);
          listener.onGone(signals.signalled());
        },
      },
    );
    watches.set(watching, listener);
    return () => {
      watches.delete(watching);
      watching.cancel();
    };
  }

  return {
    survey,
    suspects,
    end,
    signal,
    pause: halting.pause,
    resume: halting.resume,
    watch,
    recheck: () => {
      for (const each of watches.keys()) each.checkNow();
    },
    leaderExited: () => {
      hasLeaderExited = true;
      lookup.leaderExited(groupExists(send, identity.pgid));
      // Members known now prove later that the group is ours; a daemon may overwrite its environment soon.
      void lookup.find().catch(reportError);
    },
  };
}

/** Sends a signal by kill(2). Real-time signals have no name in Node. */
function sendBySystem(target: number, signal: ProcessSignal | 0): void {
  process.kill(target, signal === 0 ? 0 : (toSignalNumber(signal) ?? (signal as NodeJS.Signals)));
}

/** Sends signals that end the members of one tree, and remembers which members got them. */
function createTreeSignals(options: {
  readonly cgroup: string | null;
  readonly table: ProcessTable;
  readonly send: SendSignal;
  readonly isLeader: (entry: ProcessEntry) => boolean;
  readonly toMember: (entry: ProcessEntry) => TreeMember;
  readonly isHalted: (entry: ProcessEntry) => boolean;
  readonly onSent: (sent: SentSignal) => void;
}) {
  const { cgroup, table, send, isLeader, toMember, isHalted, onSent } = options;
  let last: ProcessSignal | null = null;
  /** Members that got the last signal. */
  let reached = new Set<string>();
  /** Members beside the leader that got any signal. */
  const signalled = new Map<string, TreeMember>();

  return {
    last: () => last,
    signalled: () => [...signalled.values()],
    /** Sets the signal that all members get from now on. */
    begin: (name: ProcessSignal): void => {
      last = name;
      reached = new Set();
    },
    /** Sends the last signal to members that did not get it yet. SIGKILL is repeated, to reach what they forked meanwhile in their group. */
    sendTo: async (found: Members): Promise<void> => {
      const signal = last;
      if (signal === null) return;
      const isRepeated = signal === 'SIGKILL';
      const targets = found.members.filter((entry) => isRepeated || !reached.has(toKey(entry)));
      const isFirst = reached.size === 0;
      const isNew = targets.some((entry) => !reached.has(toKey(entry)));
      for (const entry of targets) {
        const key = toKey(entry);
        reached.add(key);
        if (!isLeader(entry)) signalled.set(key, toMember(entry));
      }
      // Reaches all at once, also processes that are being forked.
      const isHeldKilled = isRepeated && cgroup !== null && killCgroup(cgroup);
      const left = isHeldKilled ? targets.filter(({ pid }) => !found.held.has(pid)) : targets;
      const groups = isFirst || isRepeated ? found.groups : new Set<number>();
      const sent = await endMembers({ table, send, signal, targets: left, groups, isHalted });
      // A frozen member hears of a signal once it is continued.
      if (cgroup !== null) thawCgroup(cgroup);
      if (!isNew) return;
      const held = targets.flatMap(({ pid }) => (found.held.has(pid) ? [pid] : []));
      if (isHeldKilled) for (const each of toSent('cgroup', { signal, pids: held })) onSent(each);
      for (const each of sent) onSent(each);
    },
  };
}
