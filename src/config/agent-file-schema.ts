import { z } from 'zod';
import { conversationOptions } from './conversation-options.ts';
import { toFileSection } from './file-section.ts';
import { policyOptions } from './policy-options.ts';
import { fileSecretSources } from './secret-source.ts';
import { span } from './span.ts';
import { supervisorOptions } from './supervisor-options.ts';

const globs = z.array(z.string().min(1));

/** A name that can be part of a tool's name and of a file's. */
export const agentName = z.string().refine((name) => /^[A-Za-z0-9][\w-]{0,47}$/.test(name), {
  error: () => 'a name of letters, digits, "_" and "-", 48 at most',
});

const model = z.strictObject({
  /** `scripted` needs no network; `openai` and others are endpoints that speak Chat Completions. Default `openai`. */
  provider: z.string().min(1).optional(),
  /** The provider's name of the model. Default: `OPENAI_MODEL`. */
  name: z.string().min(1).optional(),
  temperature: z.number().min(0).max(2).optional(),
  /** Limit of one reply. */
  max_tokens: z.int().min(1).optional(),
  /** The endpoint, up to and including `/v1`. Default: the provider's own, or `OPENAI_BASE_URL`. */
  base_url: z.url().optional(),
  /**
   * The environment variable with the key, which itself does not belong in a file. Default: the provider's
   * usual one.
   */
  api_key_env: z
    .string()
    .refine((name) => /^[A-Za-z_]\w*$/.test(name), {
      error: () => 'the name of an environment variable, such as OPENAI_API_KEY',
    })
    .optional(),
});

const tools = z.strictObject({
  /** The vocabulary for processes. Default `process`. */
  set: z.enum(['process', 'background_process', 'bg', 'process_action']).optional(),
  /**
   * Tools by name; globs. Default: all of the set, and those for its delegates. Delegates have their own
   * tools.
   */
  allow: globs.optional(),
  /** Tools to exclude; wins over `allow`. */
  deny: globs.optional(),
  /** Foreground timeout by tool name; globs. */
  timeouts: z.record(z.string(), span).optional(),
  /** Execution mode by tool name; globs. */
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
  /** Place of a delegate, unless the call names another. Default `subprocess`. */
  default_mode: z.enum(['subprocess', 'in_process']).optional(),
  /** Time that a call waits for its delegate. Default 300 s. */
  timeout: span.optional(),
  max_parallel_agents: z.int().min(1).optional(),
  /** The depth at which no further agent is started. Default 5. */
  max_depth: z.int().min(1).optional(),
});

const context = z.strictObject({
  /** The transcript is shortened before the model is asked with more messages than this. Default: never. */
  max_messages: conversationOptions.shape.maxMessages,
  /** Same, with more tokens than this. Default: when the model reports that it is too long. */
  max_tokens: conversationOptions.shape.maxContextTokens,
  /** Facts given to every delegate with its task. */
  facts: z.array(z.string().min(1)).optional(),
});

const limits = z.strictObject({
  /** Maximum number of replies per turn. Default 50. */
  max_steps: conversationOptions.shape.maxSteps.removeDefault().optional(),
  /** Maximum number of retries after a failed request. Default 3. */
  max_retries: z.int().min(0).optional(),
  /** The first pause before a retry; it doubles. Default 1 s. */
  min_backoff: span.optional(),
  /** Time limit of a run without a person. Default 300 s; 0: no limit. */
  max_run_time: span.optional(),
  /** Treatment of processes that still run at the end of a run without a person. Default `wait`. */
  background: z.enum(['wait', 'kill']).optional(),
  /** Time to wait for these processes. Default 60 s. */
  background_wait: span.optional(),
});

/** An agent file, `agents/<name>.yaml`. Only `name` and `model` are required. */
export const agentFileSchema = z.strictObject({
  name: agentName,
  description: z.string().optional(),
  /** `interactive` (default): talks with a person. `execution`: works through its input; its prompt says so. */
  type: z.enum(['interactive', 'execution']).optional(),
  version: z
    .custom<string>((value) => typeof value === 'string', 'text; put a number in quotes: "1.0"')
    .optional(),
  model,
  system_prompt: z.string().min(1).optional(),
  tools: tools.optional(),
  supervisor: toFileSection(agentSupervisorOptions.shape).optional(),
  policy: toFileSection(agentPolicyOptions.shape).optional(),
  /**
   * Secrets by name, which its tools can type without seeing them, each read when it is used. `{ env:
   * "NPM_TOKEN" }`: a variable, which its processes do not inherit; `{ file: "…" }`: a relative path is
   * resolved against the project; `{ ask: "Your npm token?" }`: a person, in `troupe chat`. A delegate in
   * this program has the secrets of its parent agent.
   */
  secrets: fileSecretSources.optional(),
  /** Agents of the same project that it may delegate to. */
  delegates: z.array(agentName).optional(),
  delegation: delegation.optional(),
  context: context.optional(),
  limits: limits.optional(),
});

/** An agent as written in its file: the same names, no defaults, durations in seconds or with a unit. */
export type AgentDefinition = z.output<typeof agentFileSchema>;
export type ModelSettings = AgentDefinition['model'];
