import type { ProcessTable } from '../tree/process-table.ts';
import type { TreeRegistry } from '../tree/tree-registry.ts';
import type { LauncherTools } from './launcher.ts';

/** What all processes of the file backend of one supervisor share. */
export interface FileWorld {
  readonly table: ProcessTable;
  readonly trees: TreeRegistry;
  readonly reportError: (error: unknown) => void;
  /** Looked for at the first start by default. */
  readonly tools?: LauncherTools;
}
