import type { Cancel, Clock } from '../../clock/clock.ts';
import type { ProcessEntry, ProcessTable } from './process-table.ts';
import type { ProcessTree } from './process-tree.ts';

/**
 * Looks at the newborn processes of the machine while trees live that no cgroup holds. A child whose parent is a member stays known after it
 * has left its session and its environment, and after the death of its parent.
 */
export interface TreeSampler {
  /** Samples a tree until the returned function is called. `onUnmarked` gets members that only this knowledge ties to the tree. */
  add(tree: Pick<ProcessTree, 'sample'>, onUnmarked: (entries: readonly ProcessEntry[]) => void): Cancel;
}

interface Sampled {
  readonly tree: Pick<ProcessTree, 'sample'>;
  readonly onUnmarked: (entries: readonly ProcessEntry[]) => void;
  isNew: boolean;
}

/** A parent that lives for less is missed. A sample costs 20 µs while no process begins on the machine. */
const intervalMs = 100;

export function createTreeSampler(options: {
  readonly table: ProcessTable;
  readonly clock: Clock;
  readonly reportError: (error: unknown) => void;
}): TreeSampler {
  const { table, clock, reportError } = options;
  const sampled = new Set<Sampled>();
  /** Pids assigned last at the two samples before: a process is looked at twice, as it may execute another program in between. */
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
