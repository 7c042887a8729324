import {
  type AgentDefinition,
  agentPolicyOptions,
  agentSupervisorOptions,
} from '../config/agent-file-schema.ts';
import { fromFileSection } from '../config/file-section.ts';
import type { PolicyOptions } from '../config/policy-options.ts';
import { type Span, toMs } from '../config/span.ts';
import type { ConversationOptions } from '../conversation/conversation.ts';
import type { SupervisorOptions } from '../supervisor/supervisor-options.ts';
import { DEFAULT_MAX_DEPTH } from './depth-limit.ts';

/** Converts a definition to options of the supervisor that runs the agent. */
export function toSupervisorOptions(definition: AgentDefinition): SupervisorOptions {
  const { supervisor, tools, delegation, secrets } = definition;
  const { defaultTimeout, ...options } = fromFileSection(supervisor ?? {}, agentSupervisorOptions.shape);
  return {
    ...options,
    ...(defaultTimeout !== undefined && { timeout: defaultTimeout as number }),
    ...(tools?.modes !== undefined && { modes: tools.modes }),
    ...(tools?.timeouts !== undefined && { timeouts: mapSpans(tools.timeouts) }),
    ...(secrets !== undefined && { secrets }),
    ...(delegation?.max_parallel_agents !== undefined && {
      maxParallelAgents: delegation.max_parallel_agents,
    }),
  };
}

/** Converts a definition to policy options; the workspace is the project in `directory`. */
export function toPolicyOptions(
  { policy }: AgentDefinition,
  { directory }: { directory: string },
): PolicyOptions {
  return { ...fromFileSection(policy ?? {}, agentPolicyOptions.shape), workspace: directory };
}

/** Converts a definition to options of the conversation. */
export function toConversationOptions(
  definition: AgentDefinition,
): Pick<
  ConversationOptions,
  'systemPrompt' | 'maxSteps' | 'maxParallelTools' | 'retry' | 'maxMessages' | 'maxContextTokens'
> {
  const { limits, context, supervisor } = definition;
  const systemPrompt = toSystemPrompt(definition);
  return {
    ...(systemPrompt !== null && { systemPrompt }),
    ...(limits?.max_steps !== undefined && { maxSteps: limits.max_steps }),
    ...(supervisor?.max_parallel_tools !== undefined && { maxParallelTools: supervisor.max_parallel_tools }),
    ...(context?.max_tokens !== undefined && { maxContextTokens: context.max_tokens }),
    ...(context?.max_messages !== undefined && { maxMessages: context.max_messages }),
    retry: {
      ...(limits?.max_retries !== undefined && { maxRetries: limits.max_retries }),
      ...(limits?.min_backoff !== undefined && { minBackoff: toMs(limits.min_backoff) }),
    },
  };
}

/** Returns how a run without a person ends; times in ms. */
export function toRunLimits({ limits }: AgentDefinition) {
  return {
    timeoutMs: toMs(limits?.max_run_time ?? '300s'),
    background: limits?.background ?? 'wait',
    waitMs: toMs(limits?.background_wait ?? '60s'),
  } as const;
}

/** Returns the maximum depth. A limit set above applies to all agents below; a definition can only lower it. */
export function toMaxDepth({ delegation }: AgentDefinition, told: number | undefined): number {
  const own = delegation?.max_depth;
  return told === undefined ? (own ?? DEFAULT_MAX_DEPTH) : Math.min(told, own ?? told);
}

const ALONE =
  'You work without a person: no question will be answered. Work with what you have been given, and finish with one answer that contains the whole result. Only this answer is read: if it depends on a process in the background, wait for the process before you answer.';

const SECRETS =
  'When a process asks for a password or a token, give it a secret by its name, with the field "secret" of the tools that write and type; ' +
  'you never see a value, and must not ask for one. The names:';

function toSystemPrompt({ type, system_prompt, secrets = {} }: AgentDefinition): string | null {
  const names = Object.keys(secrets);
  const parts = [
    system_prompt?.trim(),
    type === 'execution' ? ALONE : undefined,
    names.length === 0 ? undefined : `${SECRETS} ${names.join(', ')}.`,
  ];
  const said = parts.filter((part) => part !== undefined);
  return said.length === 0 ? null : said.join('\n\n');
}

function mapSpans(spans: Readonly<Record<string, Span>>): Record<string, number> {
  return Object.fromEntries(Object.entries(spans).map(([name, span]) => [name, toMs(span)]));
}
