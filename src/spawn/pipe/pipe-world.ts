import type { ChildProcess } from 'node:child_process';
import type { ProcessTable } from '../tree/process-table.ts';
import type { TreeRegistry } from '../tree/tree-registry.ts';

/** What all children of one supervisor share. */
export interface PipeWorld {
  readonly table: ProcessTable;
  readonly trees: TreeRegistry;
  /** Pids of children that were started and whose exit was not seen yet. */
  readonly leaders: Set<number>;
  readonly reportError: (error: unknown) => void;
}

/** A child with a pid: it exists. */
export type SpawnedChild = ChildProcess & { readonly pid: number };
