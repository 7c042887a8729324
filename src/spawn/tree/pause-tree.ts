import type { SentSignal } from '../../../machines/process/context.ts';
import type { HaltedTree } from '../../../machines/process/events.ts';
import type { Clock } from '../../clock/clock.ts';
import { pause as sleep } from '../../clock/pause.ts';
import { freezeCgroup, isFrozen, thawCgroup } from '../cgroup/cgroup-files.ts';
import type { Members } from './find-members.ts';
import { toKey } from './member-lookup.ts';
import type { ProcessEntry, ProcessTable } from './process-table.ts';
import { type SendSignal, sendToMembers } from './send-signal.ts';

/** Members that were halted or continued. */
interface Halted extends HaltedTree {
  /** Members that were reached and have not halted yet, or that this user may not signal. */
  readonly running: readonly number[];
}

type OnSent = (sent: SentSignal) => void;

type Order = 'pause' | 'resume';
/** Tells whether no other order has begun since. */
type IsCurrent = () => boolean;
type Act = (isCurrent: IsCurrent) => Promise<Halted | null>;

/** Halts and continues the members of one tree. Calls of the same kind at the same time share their outcome. */
export interface TreePause {
  /**
   * Halts all members: by the freezer of their cgroup, where they have one, and any others by SIGSTOP, until no member is found running. A member
   * in a call that cannot be interrupted counts as halted once it has SIGSTOP: its program does not continue. Waits at most two seconds.
   * Resolves with `null` if `resume` or `cancel` was called meanwhile.
   */
  pause(onSent: OnSent): Promise<Halted | null>;
  /** Continues all halted members, whatever has halted them. Resolves with `null` if `pause` or `cancel` was called meanwhile. */
  resume(onSent: OnSent): Promise<Halted | null>;
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
  const turns = createTurns();

  const isHalted = (entry: ProcessEntry) => entry.stopped || stopped.has(toKey(entry));

  /** Carries out an order; one that fails halfway leaves nothing frozen. */
  function carryOut(order: Order, act: Act): Promise<Halted | null> {
    return turns.take(order, (isCurrent) =>
      act(isCurrent).catch((error: unknown) => {
        if (cgroup !== null) thawCgroup(cgroup);
        throw error;
      }),
    );
  }

  /** Sends a signal to members one by one: a group may contain a launcher, which records the end and must go on. Returns whom it reached. */
  async function sendEach(
    signal: 'SIGSTOP' | 'SIGCONT',
    { targets, onSent }: { readonly targets: readonly ProcessEntry[]; readonly onSent: OnSent },
  ): Promise<readonly number[]> {
    const sent = await sendToMembers({ table, send, signal, targets, groups: new Set() });
    for (const each of sent) onSent(each);
    return sent.flatMap(({ pids }) => pids);
  }

  async function halt(isCurrent: IsCurrent, onSent: OnSent): Promise<Halted | null> {
    const isFreezing = cgroup !== null && freezeCgroup(cgroup);
    const giveUpAtMs = clock.nowMs() + maxWaitMs;
    const asked = new Set<string>();
    /** Pids of those that took SIGSTOP; the others belong to other users. */
    const reached = new Set<number>();
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
      const { members, held } = await find();
      if (!isCurrent()) return null;
      const frozen = members.filter(({ pid }) => isFreezing && held.has(pid));
      const others = members.filter((entry) => !frozen.includes(entry));
      const running = others.filter((entry) => !entry.stopped && !(entry.blocked && asked.has(toKey(entry))));
      const fresh = running.filter((entry) => !asked.has(toKey(entry)));
      for (const entry of fresh) {
        asked.add(toKey(entry));
        stopped.add(toKey(entry));
      }
      for (const pid of await sendEach('SIGSTOP', { targets: fresh, onSent })) reached.add(pid);
      if (!isCurrent()) return null;
      const freezing = isFreezing && !isFrozen(cgroup) ? frozen : [];
      const awaited = running.filter((entry) => reached.has(entry.pid) || fresh.includes(entry));
      if (freezing.length + awaited.length === 0 || clock.nowMs() >= giveUpAtMs) {
        const halted = [...frozen, ...others.filter(({ pid, stopped }) => stopped || reached.has(pid))];
        const via = frozen.length > 0 ? 'freezer' : 'signals';
        const pids = halted.map(({ pid }) => pid);
        return { via, pids, running: [...running, ...freezing].map(({ pid }) => pid) };
      }
      await sleep(clock, { ms: pauseMs });
    }
  }

  async function continueAll(isCurrent: IsCurrent, onSent: OnSent): Promise<Halted | null> {
    const wasFrozen = cgroup !== null && thawCgroup(cgroup);
    const { members, held } = await find();
    if (!isCurrent()) return null;
    // A member that was told to stop in an uninterruptible call shows as running, and would halt later.
    const targets = members.filter(isHalted);
    stopped.clear();
    const reached = await sendEach('SIGCONT', { targets, onSent });
    const thawed = members.flatMap(({ pid }) => (wasFrozen && held.has(pid) ? [pid] : []));
    const pids = [...new Set([...reached, ...thawed])];
    return { via: wasFrozen ? 'freezer' : 'signals', pids, running: [] };
  }

  return {
    pause: (onSent) => carryOut('pause', (isCurrent) => halt(isCurrent, onSent)),
    resume: (onSent) => carryOut('resume', (isCurrent) => continueAll(isCurrent, onSent)),
    cancel: turns.end,
    isHalted,
  };
}

/** Takes orders of which each overtakes the one before. An order that is in progress is not begun again. */
function createTurns(): {
  readonly take: (order: Order, act: Act) => Promise<Halted | null>;
  /** Overtakes the order in progress by none. */
  readonly end: () => void;
} {
  let turn = 0;
  let inProgress: { readonly order: Order; readonly outcome: Promise<Halted | null> } | null = null;
  return {
    take: (order, act) => {
      if (inProgress?.order === order) return inProgress.outcome;
      turn += 1;
      const ownTurn = turn;
      const isCurrent = () => turn === ownTurn;
      const outcome = act(isCurrent).finally(() => {
        if (isCurrent()) inProgress = null;
      });
      inProgress = { order, outcome };
      return outcome;
    },
    end: () => {
      turn += 1;
      inProgress = null;
    },
  };
}
