import { parseAgentFile } from '../../agents/agent-definition.ts';
import { listAgents, loadAgent } from '../../agents/load-agent.ts';
import type { AgentDefinition } from '../../config/agent-file.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import { toDefaultAgentText } from '../default-agent.ts';

const DEFAULT_NAME = 'assistant';

export interface AgentChoice {
  readonly definition: AgentDefinition;
  /** A sentence for the person, where none of the project's agents was taken; `null` otherwise. */
  readonly remark: string | null;
}

/**
 * The agent of that name; without a name the only one, or `assistant`. A project without agents has a built-in one.
 *
 * @throws TroupeError `unknown-agent`, `invalid-agent-file`
 */
export async function chooseAgent(
  name: string | null,
  { directory, program }: { readonly directory: string; readonly program: string },
): Promise<AgentChoice> {
  if (name !== null) return { definition: await loadAgent(name, { directory }), remark: null };
  const names = (await listAgents(directory)).map((agent) => agent.name);
  if (names.length === 0) {
    const remark = `There is no agents/ directory here: this is the built-in agent. "${program} init" makes one of your own.`;
    const text = toDefaultAgentText(program);
    return { definition: await parseAgentFile(text, { file: 'the built-in agent' }), remark };
  }
  const [only = DEFAULT_NAME] = names;
  if (names.length === 1 || names.includes(DEFAULT_NAME)) {
    const chosen = names.length === 1 ? only : DEFAULT_NAME;
    return { definition: await loadAgent(chosen, { directory }), remark: null };
  }
  throw new TroupeError({
    code: 'unknown-agent',
    message: `There are several agents, and none is called ${DEFAULT_NAME}: say which, ${program} chat <agent>. They are: ${names.join(', ')}.`,
  });
}
