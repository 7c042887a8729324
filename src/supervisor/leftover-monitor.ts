import type { KillReceipt, ProcessSignal, Requester } from '../../machines/process/context.ts';
import type { Cancel, Clock } from '../clock/clock.ts';
import type { LifecycleEvent } from '../process/lifecycle-event.ts';
import type { ProcessService } from '../process/process-service.ts';
import type { SupervisedProcess } from '../process/supervised-process.ts';
import { type EndOrder, endTree, type TreeEnding } from '../spawn/tree/end-tree.ts';
import type { TreeRegistry } from '../spawn/tree/tree-registry.ts';

/** Interval of checks whether leftovers have ended by themselves. */
const LOOK_EVERY_MS = 1_000;

interface LeftoverOrder extends EndOrder {
  readonly by: Requester;
}

/** Tracks the leftovers of ended processes until they are gone. They can still be killed. */
export interface LeftoverMonitor extends ProcessService {
  /** Watches the leftovers of an ended process until they are gone. */
  watch(process: SupervisedProcess): void;
  /** Ends leftovers and verifies it; concurrent calls get the same receipt, and the earliest deadline applies. */
  end(id: string, order: LeftoverOrder): Promise<KillReceipt>;
  /** Ends all of them for a shutdown, except those of persistent processes. Resolves when each is gone or known to survive. */
  endAll(order: EndOrder): Promise<void>;
  /** Ids of processes that have ended with something left. */
  readonly ids: readonly string[];
}

interface Watched {
  readonly process: SupervisedProcess;
  cancelLook: Cancel;
  ending: TreeEnding | null;
}

export function createLeftoverMonitor({
  clock,
  trees,
  emit,
  isLeaving,
}: {
  readonly clock: Clock;
  readonly trees: TreeRegistry;
  readonly emit: (id: string, event: LifecycleEvent) => void;
  /** Returns `true` if a process and its leftovers outlive the current shutdown. */
  readonly isLeaving: (process: SupervisedProcess) => boolean;
}): LeftoverMonitor {
  const watched = new Map<string, Watched>();

  const forget = (id: string) => {
    watched.get(id)?.cancelLook();
    watched.delete(id);
  };

  const onGone = ({ process }: Watched) => {
    const { id } = process;
    if (!watched.has(id)) return;
    forget(id);
    trees.remove(id);
    process.forgetLeftovers();
    emit(id, { type: 'leftovers.ended' });
  };

  const lookLater = (entry: Watched) => {
    const { id } = entry.process;
    entry.cancelLook = clock.at(
      clock.nowMs() + LOOK_EVERY_MS,
      async () => {
        const left = (await trees.get(id)?.survey()) ?? [];
        if (!watched.has(id)) return;
        if (left.length === 0) onGone(entry);
        else lookLater(entry);
      },
      { idle: true },
    );
  };

  const watch = (process: SupervisedProcess) => {
    const entry: Watched = { process, cancelLook: () => {}, ending: null };
    watched.set(process.id, entry);
    lookLater(entry);
  };

  const begin = (entry: Watched, order: LeftoverOrder): TreeEnding => {
    const { process } = entry;
    const tree = trees.get(process.id);
    if (tree === undefined)
      return { receipt: Promise.resolve(emptyReceipt(order.signal)), shortenGrace: () => {} };
    let isFirst = true;
    const onSignal = (signal: ProcessSignal) => {
      process.timeline.add('process.signalled', {
        by: isFirst ? order.by : 'supervisor',
        detail: isFirst
          ? `${signal}: its leftovers`
          : `${signal}: leftovers alive at the end of the grace period`,
      });
      isFirst = false;
    };
    const ending = endTree(tree, { order, clock, onGone: () => onGone(entry), onSignal });
    void ending.receipt.then(() => {
      entry.ending = null;
    });
    return ending;
  };

  const end = (id: string, order: LeftoverOrder): Promise<KillReceipt> => {
    const entry = watched.get(id);
    if (entry === undefined) return Promise.resolve(emptyReceipt(order.signal));
    if (entry.ending === null) entry.ending = begin(entry, order);
    else entry.ending.shortenGrace(order.signal === 'SIGKILL' ? 0 : order.graceMs);
    return entry.ending.receipt;
  };

  return {
    on: (event, process) => {
      // The actor of the process is gone and cannot end its tree.
      if (event.type === 'process.broken') return trees.forceKill(process.id);
      if (event.type !== 'process.ended' || isLeaving(process)) return;
      const { view } = process.life;
      if ('leftovers' in view && view.leftovers.length > 0) watch(process);
    },
    watch,
    end,
    endAll: async (order) => {
      const endings = [...watched.values()].map(({ process: { id, plan } }) =>
        plan.lifetime === 'persistent' ? forget(id) : end(id, { ...order, by: 'supervisor' }),
      );
      await Promise.all(endings);
    },
    get ids() {
      return [...watched.keys()];
    },
  };
}

function emptyReceipt(signalled: ProcessSignal): KillReceipt {
  return { signalled, escalated: false, survivors: [], leftoversEnded: [], durationMs: 0 };
}
