import type { Agent, AgentOptions } from './agent.ts';
import { assembleAgent } from './assemble-agent.ts';
import { runTask } from './run-task.ts';

/**
 * Makes an agent: a conversation, and a supervisor of its own unless it is given one.
 *
 * @throws TroupeError `invalid-option`; `unknown-agent` and `invalid-agent-file` of a delegate; `delegation-depth`.
 */
export function createAgent(options: AgentOptions): Promise<Agent> {
  return assembleAgent(options, {
    // The limits of a delegate in this program are those of its process.
    runDelegate: (delegate) =>
      runTask(
        createAgent,
        delegate.definition.limits?.max_run_time === undefined ? { ...delegate, timeoutMs: 0 } : delegate,
      ),
  });
}
