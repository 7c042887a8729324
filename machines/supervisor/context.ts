/** Lane of foreground slots: lanes are counted apart, so that a tool never waits for an agent. */
export type Lane = 'tool' | 'agent';

export interface SupervisorInput {
  readonly maxParallelTools: number;
  readonly maxParallelAgents: number;
  readonly maxBackgroundProcesses: number;
  /** Time from the first signal of a shutdown to SIGKILL. */
  readonly shutdownGraceMs: number;
}

export interface SupervisorContext extends SupervisorInput {
  /** Processes that hold a foreground slot. */
  readonly foreground: Readonly<Record<Lane, number>>;
  /** Processes in the background; a promotion may raise it above `maxBackgroundProcesses`. */
  readonly background: number;
  /** Ids that wait for a foreground slot, first in first out. */
  readonly queue: Readonly<Record<Lane, readonly string[]>>;
}

export function createSupervisorContext(input: SupervisorInput): SupervisorContext {
  return { ...input, foreground: { tool: 0, agent: 0 }, background: 0, queue: { tool: [], agent: [] } };
}
