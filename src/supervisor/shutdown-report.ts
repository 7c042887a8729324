import type { TreeMember } from '../../machines/process/context.ts';

/** What a shutdown achieved. */
export interface ShutdownReport {
  readonly durationMs: number;
  /** Ids of the processes that were alive and are gone. */
  readonly ended: readonly string[];
  /** Ids of persistent processes that go on without this supervisor. */
  readonly left: readonly string[];
  /** What could not be proven gone; empty in all but the strangest cases. */
  readonly survivors: readonly { readonly id: string; readonly members: readonly TreeMember[] }[];
}
