import type { Cancel, Clock } from '../../clock/clock.ts';
import type { ProcessEntry, ProcessTable } from './process-table.ts';
import type { ProcessTree } from './process-tree.ts';

/**
 * Looks for new processes whose parent is a member of a tree. The tree remembers them even if they later change their session or
 * environment, or lose their parent.
 */
export interface TreeSampler {
  /** Samples a tree until the returned function is called. `onUnmarked` gets the remembered processes that carry no mark. */
  add(tree: Pick<ProcessTree, 'sample'>, onUnmarked: (entries: readonly ProcessEntry[]) => void): Cancel;
}

interface Sampled {
  readonly tree: Pick<ProcessTree, 'sample'>;
  readonly onUnmarked: (entries: readonly ProcessEntry[]) => void;
  isNew: boolean;
}

/** Parents with a shorter life are missed. A sample costs 20 µs if no process has started. */
const intervalMs = 100;

export function createTreeSampler(options: {
  readonly table: ProcessTable;
  readonly clock: Clock;
  readonly reportError: (error: unknown) => void;
}): TreeSampler {
  const { table, clock, reportError } = options;
  const sampled = new Set<Sampled>();
  /** Last pids at the two samples before. Each process is read twice, because it may execute another program in between. */
  let before: readonly [number | null, number | null] = [null, null];
  let isRunning = false;

  async function sample(): Promise<void> {
    const { last, entries } = (await table.listNewborn?.(before[0])) ?? { last: null, entries: [] };
    before = [before[1], last];
    for (const each of [...sampled]) {
      if (!each.isNew && entries.length === 0) continue;
      const unmarked = await each.tree.sample(each.isNew ? null : entries);
      each.isNew = false;
      if (unmarked.length > 0 && sampled.has(each)) each.onUnmarked(unmarked);
    }
  }

  function run(): void {
    isRunning = sampled.size > 0;
    if (!isRunning) {
      before = [null, null];
      return;
    }
    const next = () => void sample().catch(reportError).then(run);
    clock.at(clock.nowMs() + intervalMs, next, { idle: true });
  }

  return {
    add: (tree, onUnmarked) => {
      // There a sample would be a program to start.
      if (table.listNewborn === undefined) return () => {};
      const added = { tree, onUnmarked, isNew: true };
      sampled.add(added);
      if (!isRunning) run();
      return () => void sampled.delete(added);
    },
  };
}
