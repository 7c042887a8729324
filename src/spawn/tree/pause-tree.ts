import type { SentSignal } from '../../../machines/process/context.ts';
import type { HaltedTree } from '../../../machines/process/events.ts';
import type { Clock } from '../../clock/clock.ts';
import { pause as sleep } from '../../clock/pause.ts';
import { freezeCgroup, isFrozen, thawCgroup } from '../cgroup/cgroup-files.ts';
import type { Members } from './find-members.ts';
import { toKey } from './member-lookup.ts';
import type { ProcessEntry, ProcessTable } from './process-table.ts';
import { type SendSignal, sendToMembers } from './send-signal.ts';

/** Members that were halted or continued, and the signals by which they were. */
interface Halted extends HaltedTree {
  readonly sent: readonly SentSignal[];
}

/** Halts and continues the members of one tree. */
export interface TreePause {
  /**
   * Halts all members: by the freezer of their cgroup, where they have one, and any others by SIGSTOP, until no member is found running. A member
   * in a call that cannot be interrupted counts as halted once it has SIGSTOP: its program does not continue. Waits at most two seconds;
   * `running` are the members that were reached and have not halted by then.
   * Resolves with `null` if `resume` or `cancel` was called meanwhile.
   */
  pause(): Promise<(Halted & { readonly running: readonly number[] }) | null>;
  /** Continues all halted members, whatever has halted them. Resolves with `null` if `pause` or `cancel` was called meanwhile. */
  resume(): Promise<Halted | null>;
  /** Makes a pause in progress halt nothing more, because the tree is to end. */
  cancel(): void;
  /** Returns whether a member is halted, or is about to be by `pause`. */
  isHalted(entry: ProcessEntry): boolean;
}

const maxWaitMs = 2_000;
const firstPauseMs = 1;
const maxPauseMs = 20;

export function createTreePause(options: {
  readonly cgroup: string | null;
  readonly find: () => Promise<Members>;
  readonly table: ProcessTable;
  readonly send: SendSignal;
  readonly clock: Clock;
}): TreePause {
  const { cgroup, find, table, send, clock } = options;
  /** Members that got SIGSTOP since they were last continued. */
  const stopped = new Set<string>();
  let turn = 0;

  const isHalted = (entry: ProcessEntry) => entry.stopped || stopped.has(toKey(entry));

  async function stop(targets: readonly ProcessEntry[]): Promise<readonly SentSignal[]> {
    for (const entry of targets) stopped.add(toKey(entry));
    // One by one: a group may contain a launcher, which records the end and must go on.
    return sendToMembers({ table, send, signal: 'SIGSTOP', targets, groups: new Set() });
  }

  async function pause(): ReturnType<TreePause['pause']> {
    turn += 1;
    const ownTurn = turn;
    const isFreezing = cgroup !== null && freezeCgroup(cgroup);
    const giveUpAtMs = clock.nowMs() + maxWaitMs;
    const sent: SentSignal[] = [];
    /** Pids that got SIGSTOP in this call; the others refused it. */
    const reached = new Set<number>();
    const asked = new Set<string>();
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
      const { members, held } = await find();
      if (turn !== ownTurn) return null;
      const isHeld = ({ pid }: ProcessEntry) => isFreezing && held.has(pid);
      const isBlocked = (entry: ProcessEntry) => entry.blocked && asked.has(toKey(entry));
      const running = members.filter((entry) => !entry.stopped && !isBlocked(entry) && !isHeld(entry));
      const fresh = running.filter((entry) => !asked.has(toKey(entry)));
      for (const entry of fresh) asked.add(toKey(entry));
      const justSent = await stop(fresh);
      sent.push(...justSent);
      for (const { pids } of justSent) for (const pid of pids) reached.add(pid);
      if (turn !== ownTurn) return null;
      const isHalting = isFreezing && members.some(isHeld) && !isFrozen(cgroup);
      const awaited = running.filter(({ pid }) => reached.has(pid));
      if ((awaited.length === 0 && !isHalting) || clock.nowMs() >= giveUpAtMs) {
        const late = [...awaited, ...(isHalting ? members.filter(isHeld) : [])].map(({ pid }) => pid);
        const halted = members.filter((entry) => entry.stopped || isHeld(entry) || reached.has(entry.pid));
        const via = isFreezing && members.some(isHeld) ? 'freezer' : 'signals';
        return { via, pids: halted.map(({ pid }) => pid), running: late, sent };
      }
      await sleep(clock, { ms: pauseMs });
      if (turn !== ownTurn) return null;
    }
  }

  async function resume(): ReturnType<TreePause['resume']> {
    turn += 1;
    const ownTurn = turn;
    const wasFrozen = cgroup !== null && thawCgroup(cgroup);
    const { members, held } = await find();
    if (turn !== ownTurn) return null;
    // A member that was told to stop in an uninterruptible call shows as running, and would halt later.
    const targets = members.filter(isHalted);
    stopped.clear();
    const sent = await sendToMembers({ table, send, signal: 'SIGCONT', targets, groups: new Set() });
    const continued = new Set([
      ...sent.flatMap(({ pids }) => pids),
      ...members.flatMap(({ pid }) => (wasFrozen && held.has(pid) ? [pid] : [])),
    ]);
    return { via: wasFrozen ? 'freezer' : 'signals', pids: [...continued], sent };
  }

  return {
    pause,
    resume,
    cancel: () => {
      turn += 1;
    },
    isHalted,
  };
}
