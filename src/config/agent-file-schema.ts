import { z } from 'zod';
import type { AgentPolicySettings, AgentSupervisorSettings } from './agent-file-sections.ts';
import { conversationOptions } from './conversation-options.ts';
import { toFileSection } from './file-section.ts';
import { policyOptions } from './policy-options.ts';
import { fileSecretSources } from './secret-source.ts';
import { type Span, span } from './span.ts';
import { supervisorOptions } from './supervisor-options.ts';

const globs = z.array(z.string().min(1));

/** A name that can be part of a tool's name and of a file's. */
export const agentName = z.string().refine((name) => /^[A-Za-z0-9][\w-]{0,47}$/.test(name), {
  error: () => 'a name of letters, digits, "_" and "-", 48 at most',
});

const model = z.strictObject({
  provider: z.string().min(1).optional(),
  name: z.string().min(1).optional(),
  temperature: z.number().min(0).max(2).optional(),
  max_tokens: z.int().min(1).optional(),
  base_url: z.url().optional(),
  api_key_env: z
    .string()
    .refine((name) => /^[A-Za-z_]\w*$/.test(name), {
      error: () => 'the name of an environment variable, such as OPENAI_API_KEY',
    })
    .optional(),
});

const tools = z.strictObject({
  set: z.enum(['process', 'background_process', 'bg', 'process_action', 'bash', 'exec']).optional(),
  modules: z
    .array(
      z.string().refine((text) => /^[^#](.*[^#])?$/.test(text), {
        error: () => 'the path of a module, with the name of an export: "./my-tools.ts#weather"',
      }),
    )
    .optional(),
  allow: globs.optional(),
  deny: globs.optional(),
  timeouts: z.record(z.string(), span).optional(),
  modes: supervisorOptions.shape.modes.removeDefault().optional(),
});

/** The supervisor options that an agent file may set, by their names in code. */
export const agentSupervisorOptions = z.strictObject({
  /** `timeout` in code. */
  defaultTimeout: supervisorOptions.shape.timeout,
  onTimeout: supervisorOptions.shape.onTimeout,
  maxExecutionTime: supervisorOptions.shape.maxExecutionTime,
  maxBackgroundTime: supervisorOptions.shape.maxBackgroundTime,
  lifetime: supervisorOptions.shape.lifetime,
  killGrace: supervisorOptions.shape.killGrace,
  drainQuiet: supervisorOptions.shape.drainQuiet,
  drainMax: supervisorOptions.shape.drainMax,
  notifyAfterSilence: supervisorOptions.shape.notifyAfterSilence,
  notifyAfter: supervisorOptions.shape.notifyAfter,
  maxBufferBytes: supervisorOptions.shape.maxBufferBytes,
  headBytes: supervisorOptions.shape.headBytes,
  maxLogBytes: supervisorOptions.shape.maxLogBytes,
  maxReplyBytes: supervisorOptions.shape.maxReplyBytes,
  shell: supervisorOptions.shape.shell,
  env: supervisorOptions.shape.env,
  redactNames: supervisorOptions.shape.redactNames,
  hints: supervisorOptions.shape.hints,
  terminal: supervisorOptions.shape.terminal,
  maxParallelTools: supervisorOptions.shape.maxParallelTools,
  maxBackgroundProcesses: supervisorOptions.shape.maxBackgroundProcesses,
  shutdownGrace: supervisorOptions.shape.shutdownGrace,
  retention: supervisorOptions.shape.retention,
  maxFinished: supervisorOptions.shape.maxFinished,
  logRetention: supervisorOptions.shape.logRetention,
  forceBackgroundPatterns: supervisorOptions.shape.forceBackgroundPatterns,
  forceSyncPatterns: supervisorOptions.shape.forceSyncPatterns,
});

/** The policy options that an agent file may set. They also hold for its delegates. The workspace is the project. */
export const agentPolicyOptions = z.strictObject(policyOptions.shape).omit({ workspace: true });

const delegation = z.strictObject({
  default_mode: z.enum(['subprocess', 'in_process']).optional(),
  timeout: span.optional(),
  max_parallel_agents: z.int().min(1).optional(),
  max_depth: z.int().min(1).optional(),
});

const context = z.strictObject({
  max_messages: conversationOptions.shape.maxMessages,
  max_tokens: conversationOptions.shape.maxContextTokens,
  facts: z.array(z.string().min(1)).optional(),
});

const limits = z.strictObject({
  max_steps: conversationOptions.shape.maxSteps.removeDefault().optional(),
  max_retries: z.int().min(0).optional(),
  min_backoff: span.optional(),
  max_run_time: span.optional(),
  background: z.enum(['wait', 'kill']).optional(),
  background_wait: span.optional(),
});

/** Schema of `AgentDefinition`. */
export const agentFileSchema = z.strictObject({
  name: agentName,
  description: z.string().optional(),
  type: z.enum(['interactive', 'execution']).optional(),
  version: z
    .custom<string>((value) => typeof value === 'string', 'text; put a number in quotes: "1.0"')
    .optional(),
  model,
  system_prompt: z.string().min(1).optional(),
  tools: tools.optional(),
  supervisor: toFileSection(agentSupervisorOptions.shape).optional(),
  policy: toFileSection(agentPolicyOptions.shape).optional(),
  secrets: fileSecretSources.optional(),
  delegates: z.array(agentName).optional(),
  delegation: delegation.optional(),
  context: context.optional(),
  limits: limits.optional(),
});

/** The model of an agent. */
export interface ModelSettings {
  /** `scripted` needs no network; `openai` and others are endpoints that speak Chat Completions. Default `openai`. */
  readonly provider?: string | undefined;
  /** The provider's name of the model. Default: `OPENAI_MODEL`. */
  readonly name?: string | undefined;
  /** Sampling temperature, 0 to 2. Default: the provider's. */
  readonly temperature?: number | undefined;
  /** Limit of one reply, in tokens. Default: the provider's. */
  readonly max_tokens?: number | undefined;
  /** The endpoint, up to and including `/v1`. Default: the provider's own, or `OPENAI_BASE_URL`. */
  readonly base_url?: string | undefined;
  /** The environment variable with the key, which itself does not belong in a file. Default: the provider's usual one. */
  readonly api_key_env?: string | undefined;
}

/** The tools of an agent. */
export interface AgentToolSettings {
  /** The vocabulary for processes. Default `process`. */
  readonly set?: 'process' | 'background_process' | 'bg' | 'process_action' | 'bash' | 'exec' | undefined;
  /**
   * Modules with further tools, such as `./my-tools.ts#weather`: a path relative to the agent file, and after `#` the name of an export,
   * without it `default`. The export is a tool, a list of tools, or a function that returns either; see `ToolModule`. The module is loaded
   * with the rights of this program when the agent is created; the policy decides about its calls. Default: none.
   */
  readonly modules?: readonly string[] | undefined;
  /**
   * Tools by name; globs. Delegates have their own tools. Default: all of the set, of `modules`, and those for its delegates.
   */
  readonly allow?: readonly string[] | undefined;
  /** Tools to exclude; globs. Wins over `allow`. Default: none. */
  readonly deny?: readonly string[] | undefined;
  /** Foreground timeout by tool name; globs. Default: none. */
  readonly timeouts?: Readonly<Record<string, Span>> | undefined;
  /** Execution mode by tool name; globs. Default: none. */
  readonly modes?: Readonly<Record<string, 'background' | 'sync' | 'auto'>> | undefined;
}

/** Settings of the delegates of an agent. */
export interface DelegationSettings {
  /** Place of a delegate, unless the call names another. Default `subprocess`. */
  readonly default_mode?: 'subprocess' | 'in_process' | undefined;
  /** Time that a call waits for its delegate. Default 5 min. */
  readonly timeout?: Span | undefined;
  /** Maximum number of delegates that run in the foreground at once. Default 3. */
  readonly max_parallel_agents?: number | undefined;
  /** The depth at which no further agent is started. Default 5. */
  readonly max_depth?: number | undefined;
}

/** Limits of the transcript of an agent, and the facts for its delegates. */
export interface ContextSettings {
  /** The transcript is shortened before the model is asked with more messages than this. Default: never. */
  readonly max_messages?: number | undefined;
  /** The same for tokens. Default: when the model reports that it is too long. */
  readonly max_tokens?: number | undefined;
  /** Facts given to every delegate with its task. Default: none. */
  readonly facts?: readonly string[] | undefined;
}

/** Limits of the work of an agent. */
export interface AgentLimits {
  /** Maximum number of replies per turn. Default 50. */
  readonly max_steps?: number | undefined;
  /** Maximum number of retries after a failed request. Default 3. */
  readonly max_retries?: number | undefined;
  /** The first pause before a retry; it doubles. Default 1 s. */
  readonly min_backoff?: Span | undefined;
  /** Time limit of a run without a person. 0: none. Default 5 min. */
  readonly max_run_time?: Span | undefined;
  /** Treatment of processes that still run at the end of a run without a person. Default `wait`. */
  readonly background?: 'wait' | 'kill' | undefined;
  /** Time to wait for these processes. Default 1 min. */
  readonly background_wait?: Span | undefined;
}

/**
 * An agent as its file, `agents/<name>.yaml`, describes it: no defaults, durations in seconds or with a unit. Only `name` and `model` are
 * required.
 */
export interface AgentDefinition {
  /** Name of the agent and of its file: letters, digits, `_` and `-`, 48 at most. */
  readonly name: string;
  /** Purpose of the agent: shown in lists, and to agents that may delegate to it. Default: none. */
  readonly description?: string | undefined;
  /** `interactive`: talks with a person. `execution`: works through its input; its prompt says so. Default `interactive`. */
  readonly type?: 'interactive' | 'execution' | undefined;
  /** Version of the file, for people; a number stands in quotes. Default: none. */
  readonly version?: string | undefined;
  /** The model; in a file also its name alone, such as `gpt-5` or `anthropic/claude-sonnet-5`. */
  readonly model: ModelSettings;
  /** Instructions for the model, the first message of the transcript. Default: none. */
  readonly system_prompt?: string | undefined;
  /** The tools of the agent. Default: the set `process`. */
  readonly tools?: AgentToolSettings | undefined;
  /** Options of its supervisor, in snake_case; see `SupervisorOptions`. Default: those of the supervisor. */
  readonly supervisor?: AgentSupervisorSettings | undefined;
  /** Options of its policy, in snake_case; see `PolicyOptions`. They also hold for its delegates. Default: those of a policy. */
  readonly policy?: AgentPolicySettings | undefined;
  /**
   * Secrets by name, which its tools can type without seeing them, each read when it is used. `{ env:
   * "NPM_TOKEN" }`: a variable, which its processes do not inherit; `{ file: "…" }`: a relative path is
   * resolved against the project; `{ ask: "Your npm token?" }`: a person, in `troupe chat`. A delegate in
   * this program has the secrets of its parent agent. Default: none.
   */
  readonly secrets?:
    | Readonly<
        Record<string, { readonly env: string } | { readonly file: string } | { readonly ask: string }>
      >
    | undefined;
  /** Agents of the same project that it may delegate to. Default: none. */
  readonly delegates?: readonly string[] | undefined;
  /** Settings of its delegates. Default: see each. */
  readonly delegation?: DelegationSettings | undefined;
  /** Limits of its transcript, and the facts for its delegates. Default: see each. */
  readonly context?: ContextSettings | undefined;
  /** Limits of its work. Default: see each. */
  readonly limits?: AgentLimits | undefined;
}
