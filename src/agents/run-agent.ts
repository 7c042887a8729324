import type { AgentResult } from './agent.ts';
import { createAgent } from './create-agent.ts';
import { type RunOptions, runTask } from './run-task.ts';

export type { RunOptions };

/** Gives an agent one task and waits for its answer, without a person. Never rejects; nothing of it is left behind. */
export function runAgent(options: RunOptions): Promise<AgentResult> {
  return runTask(createAgent, options);
}
