import type { ProcessTable } from '../tree/process-table.ts';
import type { TreeRegistry } from '../tree/tree-registry.ts';

/** What the terminals of one supervisor share. */
export interface TerminalWorld {
  readonly table: ProcessTable;
  readonly trees: TreeRegistry;
  readonly reportError: (error: unknown) => void;
  /** Where the tmux server of the state directory listens; makes its directory. `null` where nothing is written down. Throws in words. */
  readonly tmuxSocket: (() => string) | null;
}

/** Why something that would run a process cannot be had. */
export interface Unavailable {
  /** The end of a sentence: "tmux is not installed". */
  readonly why: string;
  /** What to do about it, as an order without its full stop. */
  readonly remedy: string;
}
