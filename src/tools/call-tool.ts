import { resolve } from 'node:path';
import type { Clock } from '../clock/clock.ts';
import { toErrorText } from '../config/error-text.ts';
import { nearest } from '../config/nearest.ts';
import { orAborted } from '../config/or-aborted.ts';
import type { CommandSpec } from '../config/process-spec.ts';
import { quote } from '../config/quote.ts';
import { type Ask, authorize, type PermissionCall } from '../policy/authorize.ts';
import type { Grants } from '../policy/grant.ts';
import type { Policy } from '../policy/policy.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import { checkAnswer } from './answer-text.ts';
import type { NoticeDelivery, PreparedCall, Tool, ToolAnswer, ToolContext, ToolIntent } from './tool.ts';

/** Call of a tool, as a model or a client made it. */
export interface ToolRequest {
  /** Id of the call in the transcript, where it has one. */
  readonly id?: string | undefined;
  readonly name: string;
  /** The arguments: an object, or the JSON text that the model wrote. */
  readonly input: unknown;
}

/** Dependencies of a call, whether made by a conversation, an MCP client or another loop. */
export interface CallDeps {
  /** The tools that may be called. */
  readonly tools: readonly Tool[];
  /** Runs the processes of the calls. */
  readonly supervisor: Supervisor;
  /** The owner of these processes. */
  readonly owner: string;
  readonly policy: Policy;
  /** Asks a person for consent. `null`: whatever needs consent is denied. */
  readonly ask: Ask | null;
  /** Permissions that a person granted with `'always'`. */
  readonly grants: Grants;
  /** Agent named in questions. Default: the owner. */
  readonly agent?: string | undefined;
  /** See `ToolContext.interrupt`. */
  readonly interrupt: AbortSignal;
  /**
   * Interrupt for calls that only wait, such as `wait_for`: aborted when something else needs attention. Default:
   * never.
   */
  readonly interruptWait?: AbortSignal | undefined;
  /** Aborted when no answer is needed any more; its reason, an Error, becomes the answer. */
  readonly abandon: AbortSignal;
  readonly notices: NoticeDelivery;
  /** Clock for the time-outs of tools. */
  readonly clock: Clock;
}

/** Result of looking at a call before it is made. */
type CheckedCall =
  | { readonly ok: true; readonly prepared: PreparedCall; readonly permission: PermissionCall }
  | { readonly ok: false; readonly error: string };

/** Checks the name and the input of a call, and resolves what it would do. */
export function checkCall(
  { id, name, input }: ToolRequest,
  { tools, supervisor, owner, agent = owner }: Pick<CallDeps, 'tools' | 'supervisor' | 'owner' | 'agent'>,
): CheckedCall {
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) return { ok: false, error: describeUnknownTool(name, tools) };
  const parsed = parseArguments(input, name);
  if (!parsed.ok) return parsed;
  const given = parsed.input;
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    return { ok: false, error: `The arguments of ${name} must be one JSON object.` };
  }
  const prepared = tool.prepare(given);
  if (!prepared.ok) return prepared;
  const permission: PermissionCall = {
    tool: name,
    arguments: given as Record<string, unknown>,
    callId: id ?? null,
    agent,
    ...toResolvedIntent(prepared.intent, supervisor),
  };
  return { ok: true, prepared, permission };
}

function parseArguments(
  input: unknown,
  name: string,
): { readonly ok: true; readonly input: unknown } | { readonly ok: false; readonly error: string } {
  if (typeof input !== 'string') return { ok: true, input: input ?? {} };
  try {
    return { ok: true, input: JSON.parse(input.trim() || '{}') ?? {} };
  } catch (error) {
    const why = toErrorText(error);
    return {
      ok: false,
      error: `The arguments of ${name} are not valid JSON: ${why}. Send one JSON object.`,
    };
  }
}

/**
 * Executes one call. Never rejects: invalid arguments, unknown tools and refusals are answers.
 */
export async function callTool(request: ToolRequest, deps: CallDeps): Promise<ToolAnswer> {
  try {
    const checked = checkCall(request, deps);
    if (!checked.ok) return rejectCall(checked.error);
    const { prepared, permission } = checked;
    const { interrupt, abandon } = deps;
    // An interruption does not wait for a person; a call that needs no consent reports its progress itself.
    const signal = AbortSignal.any([abandon, interrupt]);
    const authorization = await orAborted(authorize(permission, { ...deps, signal }), abandon);
    if (!authorization.ok) return { ...rejectCall(authorization.error), denied: true };
    const running = prepared.run(toContext(deps, { intent: prepared.intent, callId: permission.callId }));
    return checkAnswer(await orAborted(running, abandon), { tool: request.name });
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
export function isWaitingCall({ name, input }: ToolRequest, tools: readonly Tool[]): boolean {
  const parsed = parseArguments(input, name);
  if (!parsed.ok) return false;
  const prepared = tools.find((each) => each.name === name)?.prepare(parsed.input);
  return prepared?.ok === true && prepared.intent.waits === true;
}

function toContext(
  deps: CallDeps,
  { intent: { waits }, callId }: { intent: ToolIntent; callId: string | null },
): ToolContext {
  const { supervisor, owner, policy, abandon, notices, clock, interruptWait } = deps;
  const interrupt =
    waits === true && interruptWait !== undefined
      ? AbortSignal.any([deps.interrupt, interruptWait])
      : deps.interrupt;
  return {
    supervisor,
    owner,
    interrupt,
    clock,
    notices,
    start: async (spec) => {
      const prepared = 'run' in spec ? spec : await prepareCommand(spec, { policy, supervisor });
      // The process would go unnoticed.
      abandon.throwIfAborted();
      return supervisor.start({ ...prepared, owner, ...(callId !== null && { callId }) });
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
