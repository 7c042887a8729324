import type { AgentDefinition } from '../config/agent-file.ts';
import { keyVariable } from './choose-model.ts';
import { loadAgent } from './load-agent.ts';

/**
 * The keys that an agent needs in its environment, and those that it may delegate to: commands get none of them. An agent whose file
 * cannot be read needs none; whoever starts it says why.
 */
export async function findKeys(
  agent: AgentDefinition,
  place: { readonly directory: string; readonly env: Readonly<Record<string, string | undefined>> },
): Promise<Record<string, string>> {
  const names = new Set<string>();
  const seen = new Set<string>();
  const visit = async (definition: AgentDefinition): Promise<void> => {
    seen.add(definition.name);
    const name = keyVariable(definition);
    if (name !== null) names.add(name);
    for (const delegate of definition.delegates ?? []) {
      if (seen.has(delegate)) continue;
      const found = await loadAgent(delegate, place).catch(() => null);
      if (found !== null) await visit(found);
    }
  };
  await visit(agent);
  const entries = [...names].map((name) => [name, place.env[name] ?? ''] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== ''));
}
