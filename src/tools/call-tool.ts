import { resolve } from 'node:path';
import type { Clock } from '../clock/clock.ts';
import { createRealClock } from '../clock/real-clock.ts';
import { toErrorText } from '../config/error-text.ts';
import { nearest } from '../config/nearest.ts';
import { orAborted } from '../config/or-aborted.ts';
import type { CommandSpec } from '../config/process-spec.ts';
import { quote } from '../config/quote.ts';
import { type Ask, authorize, type PermissionCall } from '../policy/authorize.ts';
import { createGrants, type Grants } from '../policy/grant.ts';
import type { Policy } from '../policy/policy.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import { checkAnswer } from './answer-text.ts';
import type { NoticeDelivery, Tool, ToolAnswer, ToolContext, ToolIntent } from './tool.ts';

/** What every call goes through, whoever makes it: a conversation, an MCP client, somebody else's agent loop. */
export interface CallWiring {
  readonly tools: readonly Tool[];
  readonly supervisor: Supervisor;
  readonly owner: string;
  readonly policy: Policy;
  /** `null` where there is nobody to ask. */
  readonly ask: Ask | null;
  /** What a person has allowed with `'always'`. Default: it is asked for each time. */
  readonly grants?: Grants;
  /** The agent that questions name. Default: the owner. */
  readonly agent?: string;
  /** See `ToolContext.interrupt`. */
  readonly interrupt: AbortSignal;
  /** The same for calls that are there to wait, such as `wait_for`: aborted when something else has come up. Default: never. */
  readonly interruptWait?: AbortSignal;
  /** Aborted when no answer is waited for at all any more; its reason, an Error, says why and is the answer. */
  readonly signal: AbortSignal;
  /** See `NoticeDelivery`. Default `none`. */
  readonly notices?: NoticeDelivery;
  /** What time-outs of tools follow. Default: the machine's monotonic clock. */
  readonly clock?: Clock;
}

/** Makes one call as a model wrote it. Never rejects: broken arguments, unknown tools and refusals are answers, too. */
export async function callTool(
  call: { readonly id?: string; readonly name: string; readonly argumentsText: string },
  deps: CallWiring,
): Promise<ToolAnswer> {
  let input: unknown;
  try {
    input = JSON.parse(call.argumentsText.trim() || '{}');
  } catch (error) {
    if (findTool(call.name, deps.tools) === undefined) return unknownTool(call.name, deps.tools);
    const why = toErrorText(error);
    return rejectCall(`The arguments of ${call.name} are no JSON: ${why}. Send one object.`);
  }
  return callToolWith({ name: call.name, input, ...(call.id !== undefined && { id: call.id }) }, deps);
}

/** The same with arguments that were parsed already. */
export async function callToolWith(
  { id, name, input }: { readonly id?: string; readonly name: string; readonly input: unknown },
  deps: CallWiring,
): Promise<ToolAnswer> {
  const tool = findTool(name, deps.tools);
  if (tool === undefined) return unknownTool(name, deps.tools);
  const given = input ?? {};
  if (typeof given !== 'object' || Array.isArray(given)) {
    return rejectCall(`The arguments of ${name} must be one JSON object.`);
  }
  try {
    const prepared = tool.prepare(given);
    if (!prepared.ok) return rejectCall(prepared.error);
    // An interruption does not wait for a person; what needs nobody's consent says by itself how far it is.
    const asking = AbortSignal.any([deps.signal, deps.interrupt]);
    const { owner, agent = owner, grants = createGrants() } = deps;
    const call: PermissionCall = {
      tool: name,
      arguments: given as Record<string, unknown>,
      callId: id ?? null,
      agent,
      ...toResolvedIntent(prepared.intent, deps.supervisor),
    };
    const authorization = await orAborted(authorize(call, { ...deps, grants, signal: asking }), deps.signal);
    if (!authorization.ok) return rejectCall(authorization.error);
    return checkAnswer(await orAborted(prepared.run(toContext(deps, prepared.intent)), deps.signal), {
      tool: name,
    });
  } catch (error) {
    return { ok: false, error: toErrorText(error) };
  }
}

/** A command is judged where it would really run. */
function toResolvedIntent(
  { permission, start }: ToolIntent,
  supervisor: Supervisor,
): Pick<PermissionCall, 'permission' | 'start'> {
  if (start === undefined) return { permission };
  return { permission, start: { ...start, cwd: resolve(supervisor.cwd, start.cwd ?? '.') } };
}

/** Whether a call is there to wait. One that is broken is not. */
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

function toContext(deps: CallWiring, { waits }: ToolIntent): ToolContext {
  const { supervisor, owner, policy, signal, notices = 'none', clock = createRealClock() } = deps;
  const { interrupt: whole, interruptWait } = deps;
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
      // Nobody would know of it any more.
      signal.throwIfAborted();
      return supervisor.start({ ...prepared, owner });
    },
  };
}

/** The command as the policy wants it started. */
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

/** The call was not made, and its tool is not to blame. */
function rejectCall(error: string): ToolAnswer {
  return { ok: false, error, worked: true };
}

/** What is answered to a call of a tool that is not among these. */
export function describeUnknownTool(name: string, tools: readonly Tool[]): string {
  const names = tools.map((tool) => tool.name);
  const meant = nearest(name, names);
  const hint = meant === null ? `Tools: ${names.join(', ')}.` : `Did you mean ${meant}?`;
  return `There is no tool ${quote(name)}. ${hint}`;
}
