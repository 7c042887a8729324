import type { KillReceipt, ProcessSignal, Requester } from '../../machines/process/context.ts';
import type { Cancel, Clock } from '../clock/clock.ts';
import { type EndOrder, endTree, type TreeEnding } from '../spawn/tree/end-tree.ts';
import type { TreeRegistry } from '../spawn/tree/tree-registry.ts';

/** How often it is looked whether leftovers have ended by themselves. */
const LOOK_EVERY_MS = 1_000;

export interface LeftoverOrder extends EndOrder {
  readonly by: Requester;
}

/** Keeps what ended processes left behind: still owned, still killable, and known to be gone when it is. */
export interface LeftoverKeeper {
  /** `onGone` is called once, when nothing is left of the tree. */
  keep(id: string, onGone: () => void): void;
  /** Ends them and proves it; concurrent calls get the same receipt, and the soonest of them decides. */
  end(id: string, order: LeftoverOrder): Promise<KillReceipt>;
  /** They are to outlive this program: they are neither watched nor ended any more. */
  release(id: string): void;
  /** Ids of processes that have ended with something left. */
  readonly ids: readonly string[];
}

interface Kept {
  readonly onGone: () => void;
  cancelLook: Cancel;
  ending: TreeEnding | null;
}

export function createLeftoverKeeper({
  clock,
  trees,
  onSignalled,
}: {
  clock: Clock;
  trees: TreeRegistry;
  /** Called for each signal that is sent to the leftovers of a process. */
  onSignalled: (id: string, sent: { by: Requester; signal: ProcessSignal; isFirst: boolean }) => void;
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

  const begin = (id: string, { entry, order }: { entry: Kept; order: LeftoverOrder }): TreeEnding => {
    const tree = trees.get(id);
    if (tree === undefined)
      return { receipt: Promise.resolve(emptyReceipt(order.signal)), shortenGrace: () => {} };
    let isFirst = true;
    const onSignal = (signal: ProcessSignal) => {
      onSignalled(id, { by: isFirst ? order.by : 'supervisor', signal, isFirst });
      isFirst = false;
    };
    const ending = endTree(tree, { order, clock, onGone: () => letGo(id), onSignal });
    void ending.receipt.then(() => {
      entry.ending = null;
    });
    return ending;
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
      if (entry.ending === null) entry.ending = begin(id, { entry, order });
      else entry.ending.shortenGrace(order.signal === 'SIGKILL' ? 0 : order.graceMs);
      return entry.ending.receipt;
    },
    release: (id) => {
      kept.get(id)?.cancelLook();
      kept.delete(id);
    },
    get ids() {
      return [...kept.keys()];
    },
  };
}

function emptyReceipt(signalled: ProcessSignal): KillReceipt {
  return { signalled, escalated: false, survivors: [], leftoversEnded: [], durationMs: 0 };
}
