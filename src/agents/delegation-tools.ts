import { z } from 'zod';
import type { AgentDefinition } from '../config/agent-file-schema.ts';
import { toClause } from '../config/quote.ts';
import { toMs } from '../config/span.ts';
import { defineTool } from '../tools/define-tool.ts';
import type { Tool } from '../tools/tool.ts';
import { delegateWork } from './delegate-work.ts';
import type { DelegationDeps } from './delegation-deps.ts';

const DEFAULT_TIMEOUT = '300s';

const task = z
  .string()
  .min(1)
  .describe('What to do, with everything it must know: it has not read this conversation.');

/** Creates one tool per delegate and one for all of them; none where there are no delegates. */
export function createDelegationTools(deps: DelegationDeps): readonly Tool[] {
  if (deps.delegates.length === 0) return [];
  return [...deps.delegates.map((delegate) => createDelegateTool(delegate, deps)), createSpawnTool(deps)];
}

function createDelegateTool(delegate: AgentDefinition, deps: DelegationDeps): Tool {
  const { name, description } = delegate;
  const what = description === undefined ? '' : `: ${toClause(description.trim())}`;
  const { defaultMode, timeoutMs } = toDefaults(deps);
  return defineTool({
    name: `delegate_to_${name}`,
    title: `Delegate to ${name}`,
    description: `Gives work to the agent ${name}${what}. It works on its own and answers once.`,
    permission: 'start',
    input: z.strictObject({
      task,
      context: z.string().min(1).optional().describe('Facts that it should know beside its task.'),
      mode: z
        .enum(['subprocess', 'in_process'])
        .default(defaultMode)
        .describe('In a process of its own, or inside this one.'),
      background: z.boolean().default(false).describe('Returns an id at once; a notice brings the answer.'),
      timeout: z
        .number()
        .positive()
        .default(timeoutMs / 1_000)
        .describe('Seconds to wait for its answer; then it continues in the background.'),
    }),
    execute: ({ context: facts, timeout, ...request }, context) =>
      delegateWork(
        {
          ...request,
          delegate,
          facts: facts === undefined ? [] : [facts],
          timeoutMs: timeout * 1_000,
        },
        { deps, context },
      ),
  });
}

function createSpawnTool(deps: DelegationDeps): Tool {
  const { delegates } = deps;
  const names = delegates.map(({ name }) => name) as [string, ...string[]];
  const { defaultMode, timeoutMs } = toDefaults(deps);
  return defineTool({
    name: 'spawn_agent',
    title: 'Start an agent',
    description: 'Gives work to an agent of that type. It works on its own and answers once.',
    permission: 'start',
    input: z.strictObject({
      agent_type: z.enum(names).describe('Which agent.'),
      task,
      background: z.boolean().default(false).describe('Returns an id at once; a notice brings the answer.'),
    }),
    execute: ({ agent_type, ...request }, context) =>
      delegateWork(
        {
          ...request,
          delegate: delegates.find(({ name }) => name === agent_type) as AgentDefinition,
          facts: [],
          mode: defaultMode,
          timeoutMs,
        },
        { deps, context },
      ),
  });
}

function toDefaults({ definition: { delegation } }: DelegationDeps) {
  return {
    defaultMode: delegation?.default_mode ?? 'subprocess',
    timeoutMs: toMs(delegation?.timeout ?? DEFAULT_TIMEOUT),
  } as const;
}
