import type { KillReceipt, ProcessSignal, TreeMember } from '../../machines/process/context.ts';
import type { Cancel, Clock } from '../clock/clock.ts';
import type { TreeRegistry } from '../spawn/tree/tree-registry.ts';

/** How often it is looked whether leftovers have ended by themselves. */
const LOOK_EVERY_MS = 1_000;

/** How long SIGKILL may take before what is still alive is called a survivor. */
const PROOF_MS = 2_000;

/** Keeps what ended processes left behind: still owned, still killable, and known to be gone when it is. */
export interface LeftoverKeeper {
  /** `onGone` is called once, when nothing is left of the tree. */
  keep(id: string, onGone: () => void): void;
  /** Ends them and proves it; concurrent calls get the same receipt. */
  end(id: string, order: { signal: ProcessSignal; graceMs: number }): Promise<KillReceipt>;
  /** Ids of processes that have ended with something left. */
  readonly ids: readonly string[];
}

interface Kept {
  readonly onGone: () => void;
  cancelLook: Cancel;
  ending: Promise<KillReceipt> | null;
}

export function createLeftoverKeeper({
  clock,
  trees,
}: {
  clock: Clock;
  trees: TreeRegistry;
}): LeftoverKeeper {
  const kept = new Map<string, Kept>();

  const letGo = (id: string) => {
    const entry = kept.get(id);
    if (entry === undefined) return;
    entry.cancelLook();
    kept.delete(id);
    trees.remove(id);
    entry.onGone();
  };

  const lookLater = (id: string, entry: Kept) => {
    entry.cancelLook = clock.at(
      clock.nowMs() + LOOK_EVERY_MS,
      async () => {
        const left = (await trees.get(id)?.survey()) ?? [];
        if (!kept.has(id)) return;
        if (left.length === 0) letGo(id);
        else lookLater(id, entry);
      },
      { idle: true },
    );
  };

  return {
    keep: (id, onGone) => {
      const entry: Kept = { onGone, cancelLook: () => {}, ending: null };
      kept.set(id, entry);
      lookLater(id, entry);
    },
    end: (id, order) => {
      const entry = kept.get(id);
      if (entry === undefined) return Promise.resolve(emptyReceipt(order.signal));
      entry.ending ??= endTree({ id, order, clock, trees }).then((receipt) => {
        if (receipt.survivors.length === 0) letGo(id);
        else entry.ending = null;
        return receipt;
      });
      return entry.ending;
    },
    get ids() {
      return [...kept.keys()];
    },
  };
}

function emptyReceipt(signalled: ProcessSignal): KillReceipt {
  return { signalled, escalated: false, survivors: [], leftoversEnded: [], durationMs: 0 };
}

function endTree(call: {
  id: string;
  order: { signal: ProcessSignal; graceMs: number };
  clock: Clock;
  trees: TreeRegistry;
}): Promise<KillReceipt> {
  const { id, order, clock, trees } = call;
  const tree = trees.get(id);
  if (tree === undefined) return Promise.resolve(emptyReceipt(order.signal));
  const startMs = clock.nowMs();
  return new Promise((resolve) => {
    let survivors: readonly TreeMember[] = [];
    let escalated = false;
    const finish = (end: { survivors: readonly TreeMember[]; leftoversEnded: readonly TreeMember[] }) => {
      cancelWatch();
      cancelTimer();
      resolve({ signalled: order.signal, escalated, ...end, durationMs: clock.nowMs() - startMs });
    };
    let cancelTimer = clock.at(startMs + order.graceMs, () => {
      escalated = order.signal !== 'SIGKILL';
      void tree.signal('SIGKILL');
      cancelTimer = clock.at(clock.nowMs() + PROOF_MS, () => finish({ survivors, leftoversEnded: [] }));
    });
    const cancelWatch = tree.watch({
      onAlive: (alive) => {
        survivors = alive;
      },
      onGone: (leftoversEnded) => finish({ survivors: [], leftoversEnded }),
    });
    void tree.signal(order.signal);
  });
}
