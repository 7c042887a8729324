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
  /** Searches of the whole tree that are still to come. */
  searchesLeft: number;
}

/** Parents with a shorter life are missed. */
const firstPauseMs = 100;
/** Programs detach soon after their start, and each sample wakes this program. */
const maxPauseMs = 1_000;
/** Two, so that what began before the first sample is read twice as well: it may leave its group and shed its mark in between. */
const searchesPerTree = 2;
/** Pause between samples as a part of the age of the youngest tree. */
const pausePerAge = 0.1;

export function createTreeSampler(options: {
  readonly table: ProcessTable;
  readonly clock: Clock;
  readonly reportError: (error: unknown) => void;
}): TreeSampler {
  const { table, clock, reportError } = options;
  const sampled = new Set<Sampled>();
  /** Last pids at the two samples before. Each process is read twice, because it may execute another program in between. */
  let before: readonly [number | null, number | null] = [null, null];
  let youngestAtMs = Number.NEGATIVE_INFINITY;
  let isSampling = false;
  /** Time of the next sample; infinite if none is planned. */
  let nextAtMs = Number.POSITIVE_INFINITY;
  let cancelNext: Cancel = () => {};

  async function sample(): Promise<void> {
    const { last, entries } = (await table.listNewborn?.(before[0])) ?? { last: null, entries: [] };
    before = [before[1], last];
    for (const each of [...sampled]) {
      const isSearched = each.searchesLeft > 0;
      if (!isSearched && entries.length === 0) continue;
      const unmarked = await each.tree.sample(isSearched ? null : entries);
      if (isSearched) each.searchesLeft -= 1;
      if (unmarked.length > 0 && sampled.has(each)) each.onUnmarked(unmarked);
    }
  }

  function plan(): void {
    cancelNext();
    const ageMs = clock.nowMs() - youngestAtMs;
    nextAtMs = clock.nowMs() + Math.min(Math.max(firstPauseMs, ageMs * pausePerAge), maxPauseMs);
    cancelNext = clock.at(nextAtMs, run, { idle: true });
  }

  function run(): void {
    nextAtMs = Number.POSITIVE_INFINITY;
    if (sampled.size === 0) {
      before = [null, null];
      return;
    }
    isSampling = true;
    const finish = () => {
      isSampling = false;
      plan();
    };
    void sample().catch(reportError).then(finish);
  }

  return {
    add: (tree, onUnmarked) => {
      // There a sample would be a program to start.
      if (table.listNewborn === undefined) return () => {};
      const added = { tree, onUnmarked, searchesLeft: searchesPerTree };
      sampled.add(added);
      youngestAtMs = clock.nowMs();
      if (!isSampling && nextAtMs > youngestAtMs + firstPauseMs) plan();
      return () => void sampled.delete(added);
    },
  };
}
