import type { ProcessSignal, SentSignal, TreeMember } from '../../../machines/process/context.ts';
import { killCgroup, thawCgroup } from '../cgroup/cgroup-files.ts';
import type { Members } from './find-members.ts';
import { toKey } from './member-lookup.ts';
import type { ProcessEntry, ProcessTable } from './process-table.ts';
import { endMembers, type SendSignal, toSent } from './send-signal.ts';

/** Sends signals that end the members of one tree, and remembers which members got them. */
export function createTreeSignals(options: {
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
