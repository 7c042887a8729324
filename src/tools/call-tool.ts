import { resolve } from 'node:path';
import type { Clock } from '../clock/clock.ts';
import { createRealClock } from '../clock/real-clock.ts';
import { toErrorText } from '../config/error-text.ts';
import { nearest } from '../config/nearest.ts';
import { orAborted } from '../config/or-aborted.ts';
import type { PolicyOptions } from '../config/policy-options.ts';
import type { CommandSpec } from '../config/process-spec.ts';
import { quote } from '../config/quote.ts';
import { type Ask, authorize, type PermissionCall } from '../policy/authorize.ts';
import { createGrants, type Grants } from '../policy/grant.ts';
import type { Policy } from '../policy/policy.ts';
import { toPolicy } from '../policy/to-policy.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import { checkAnswer } from './answer-text.ts';
import type { NoticeDelivery, Tool, ToolAnswer, ToolContext, ToolIntent } from './tool.ts';

/** Settings of a tool call, whether made by a conversation, an MCP client or a custom agent loop. */
export interface CallOptions {
  /** The tools that may be called. */
  readonly tools: readonly Tool[];
  /** Runs the processes of the calls. */
  readonly supervisor: Supervisor;
  /** The owner of these processes. */
  readonly owner: string;
  /**
   * Decides what the calls may do; options make a policy for the `cwd` of the supervisor. A policy with a sandbox is made with `createPolicy`
   * and closed by its maker.
   */
  readonly policy: Policy | PolicyOptions;
  /** Asks a person for consent. `null`: whatever needs consent is denied. */
  readonly ask: Ask | null;
  /** Permissions that a person granted with `'always'`. Default: each call is asked about. */
  readonly grants?: Grants;
  /** Agent named in questions. Default: the owner. */
  readonly agent?: string;
  /** See `ToolContext.interrupt`. */
  readonly interrupt: AbortSignal;
  /**
   * Interrupt for calls that only wait, such as `wait_for`: aborted when something else needs attention. Default:
   * never.
   */
  readonly interruptWait?: AbortSignal;
  /** Aborted when no answer is needed any more; its reason, an Error, becomes the answer. */
  readonly signal: AbortSignal;
  /** See `NoticeDelivery`. Default `none`. */
  readonly notices?: NoticeDelivery;
  /** Clock for the time-outs of tools. Default: the machine's monotonic clock. */
  readonly clock?: Clock;
}

/**
 * Executes one call as the model wrote it. Never rejects: invalid arguments, unknown tools and refusals are answers.
 */
export async function callTool(
  call: { readonly id?: string; readonly name: string; readonly argumentsText: string },
  options: CallOptions,
): Promise<ToolAnswer> {
  let input: unknown;
  try {
    input = JSON.parse(call.argumentsText.trim() || '{}');
  } catch (error) {
    if (findTool(call.name, options.tools) === undefined) return unknownTool(call.name, options.tools);
    const why = toErrorText(error);
    return rejectCall(`The arguments of ${call.name} are not valid JSON: ${why}. Send one JSON object.`);
  }
  return callToolWith({ name: call.name, input, ...(call.id !== undefined && { id: call.id }) }, options);
}

/** Executes one call whose arguments are already parsed. */
export async function callToolWith(
  { id, name, input }: { readonly id?: string; readonly name: string; readonly input: unknown },
  options: CallOptions,
): Promise<ToolAnswer> {
  const tool = findTool(name, options.tools);
  if (tool === undefined) return unknownTool(name, options.tools);
  const given = input ?? {};
  if (typeof given !== 'object' || Array.isArray(given)) {
    return rejectCall(`The arguments of ${name} must be one JSON object.`);
  }
  try {
    const prepared = tool.prepare(given);
    if (!prepared.ok) return rejectCall(prepared.error);
    const { policy } = toPolicy(options.policy, { workspace: options.supervisor.cwd });
    // An interruption does not wait for a person; a call that needs no consent reports its progress itself.
    const asking = AbortSignal.any([options.signal, options.interrupt]);
    const { owner, agent = owner, grants = createGrants() } = options;
    const call: PermissionCall = {
      tool: name,
      arguments: given as Record<string, unknown>,
      callId: id ?? null,
      agent,
      ...toResolvedIntent(prepared.intent, options.supervisor),
    };
    const authorization = await orAborted(
      authorize(call, { ...options, policy, grants, signal: asking }),
      options.signal,
    );
    if (!authorization.ok) return { ...rejectCall(authorization.error), denied: true };
    return checkAnswer(
      await orAborted(prepared.run(toContext({ ...options, policy }, prepared.intent)), options.signal),
      {
        tool: name,
      },
    );
  } catch (error) {
    return { ok: false, error: toErrorText(error) };
  }
}

/** Resolves the directory in which the policy judges the command. */
function toResolvedIntent(
  { permission, start }: ToolIntent,
  supervisor: Supervisor,
): Pick<PermissionCall, 'permission' | 'start'> {
  if (start === undefined) return { permission };
  return { permission, start: { ...start, cwd: resolve(supervisor.cwd, start.cwd ?? '.') } };
}

/** Tells whether a call only waits. An invalid call does not. */
export function isWaitingCall(
  call: { readonly name: string; readonly argumentsText: string },
  tools: readonly Tool[],
): boolean {
  try {
    const prepared = findTool(call.name, tools)?.prepare(JSON.parse(call.argumentsText.trim() || '{}'));
    return prepared?.ok === true && prepared.intent.waits === true;
  } catch {
    return false;
  }
}

function toContext(options: CallOptions & { readonly policy: Policy }, { waits }: ToolIntent): ToolContext {
  const { supervisor, owner, policy, signal, notices = 'none', clock = createRealClock() } = options;
  const { interrupt: whole, interruptWait } = options;
  const interrupt =
    waits === true && interruptWait !== undefined ? AbortSignal.any([whole, interruptWait]) : whole;
  return {
    supervisor,
    owner,
    interrupt,
    clock,
    notices,
    start: async (spec) => {
      const prepared = 'run' in spec ? spec : await prepareCommand(spec, { policy, supervisor });
      // The process would go unnoticed.
      signal.throwIfAborted();
      return supervisor.start({ ...prepared, owner });
    },
  };
}

/** Prepares the command as the policy requires. */
async function prepareCommand(
  spec: CommandSpec,
  { policy, supervisor }: { policy: Policy; supervisor: Supervisor },
): Promise<CommandSpec> {
  const { command } = spec;
  const cwd = resolve(supervisor.cwd, spec.cwd ?? '.');
  const prepared = await policy.prepare({
    command: command as string | readonly string[],
    cwd,
  });
  return {
    ...spec,
    command: typeof prepared.command === 'string' ? prepared.command : [...prepared.command],
    env: { ...spec.env, ...prepared.env },
    ...(prepared.heldBy !== 'nothing' && {
      metadata: { ...spec.metadata, workspaceHeldBy: prepared.heldBy },
    }),
  };
}

function findTool(name: string, tools: readonly Tool[]): Tool | undefined {
  return tools.find((tool) => tool.name === name);
}

function unknownTool(name: string, tools: readonly Tool[]): ToolAnswer {
  return rejectCall(describeUnknownTool(name, tools));
}

/** Answers a call that was not made; the tool is not at fault. */
function rejectCall(error: string): ToolAnswer {
  return { ok: false, error, worked: true };
}

/** Answers a call of an unknown tool. */
export function describeUnknownTool(name: string, tools: readonly Tool[]): string {
  const names = tools.map((tool) => tool.name);
  const meant = nearest(name, names);
  const hint = meant === null ? `Tools: ${names.join(', ')}.` : `Did you mean ${meant}?`;
  return `There is no tool ${quote(name)}. ${hint}`;
}
