import type { TreeMember } from '../../machines/process/context.ts';

/** The result of a shutdown. */
export interface ShutdownReport {
  readonly durationMs: number;
  /** Ids of processes that were alive and are gone. */
  readonly ended: readonly string[];
  /** Ids of persistent processes that continue without this supervisor. */
  readonly left: readonly string[];
  /** Members of trees that could not be proven gone; almost always empty. */
  readonly survivors: readonly { readonly id: string; readonly members: readonly TreeMember[] }[];
}
