import { realpath } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Clock } from '../clock/clock.ts';
import { toErrorText } from '../config/error-text.ts';
import { nearest } from '../config/nearest.ts';
import { orAborted } from '../config/or-aborted.ts';
import type { CommandSpec } from '../config/process-spec.ts';
import { quote } from '../config/quote.ts';
import { type Ask, authorize, type PermissionCall } from '../policy/authorize.ts';
import type { Grants } from '../policy/grant.ts';
import type { Policy, PreparedStart, StartRequest } from '../policy/policy.ts';
import { isInside } from '../policy/workspace/real-path.ts';
import { toReportingCommand } from '../process/cwd-report.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import { checkAnswer } from './answer-text.ts';
import { findProcess } from './find-process.ts';
import type {
  CallDirectory,
  NoticeDelivery,
  PreparedCall,
  Tool,
  ToolAnswer,
  ToolContext,
  ToolIntent,
} from './tool.ts';
import type { EnteredDirectory, WorkingDirectory } from './working-directory.ts';

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
  /** The directory of the owner. */
  readonly directory: WorkingDirectory;
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
  | {
      readonly ok: true;
      readonly prepared: PreparedCall;
      readonly permission: PermissionCall;
      /** The owner's directory at the time of the judgement. */
      readonly directory: EnteredDirectory;
    }
  | { readonly ok: false; readonly error: string };

/** Checks the name and the input of a call, and resolves what it would do. */
export function checkCall(
  { id, name, input }: ToolRequest,
  deps: Pick<CallDeps, 'tools' | 'supervisor' | 'owner' | 'agent' | 'directory'>,
): CheckedCall {
  const { tools, supervisor, owner, agent = owner } = deps;
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
  const directory = deps.directory.enter();
  const base = prepared.intent.keepsDirectory === true ? directory.path : supervisor.cwd;
  const permission: PermissionCall = {
    tool: name,
    arguments: given as Record<string, unknown>,
    callId: id ?? null,
    agent,
    ...toResolvedIntent(toRestarted(prepared.intent, deps), base),
  };
  return { ok: true, prepared, permission, directory };
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
    const running = prepared.run(toContext(deps, checked));
    return checkAnswer(await orAborted(running, abandon), { tool: request.name });
  } catch (error) {
    return { ok: false, error: toErrorText(error) };
  }
}

/** Puts the command of a process that is to be restarted into the intent. An unknown process has none, and is not restarted. */
function toRestarted(intent: ToolIntent, deps: Pick<CallDeps, 'supervisor' | 'owner'>): ToolIntent {
  const found = intent.restarts === undefined ? undefined : findProcess(intent.restarts, deps);
  if (found === undefined || 'ok' in found) return intent;
  const { command, cwd, metadata } = found.view();
  if (command.type === 'function') return intent;
  const isHeld = metadata['workspaceHeldBy'] === 'sandbox';
  const start = { command: command.type === 'argv' ? command.argv : command.script, cwd };
  return { ...intent, start: isHeld ? start : { ...start, sandbox: false } };
}

/** Resolves the directory in which the policy judges the command. */
function toResolvedIntent(
  { permission, start }: ToolIntent,
  base: string,
): Pick<PermissionCall, 'permission' | 'start'> {
  if (start === undefined) return { permission };
  return { permission, start: { ...start, cwd: resolve(base, start.cwd ?? '.') } };
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
  { prepared, permission: { tool, callId }, directory }: Extract<CheckedCall, { ok: true }>,
): ToolContext {
  const { supervisor, owner, policy, abandon, notices, clock, interruptWait } = deps;
  const interrupt =
    prepared.intent.waits === true && interruptWait !== undefined
      ? AbortSignal.any([deps.interrupt, interruptWait])
      : deps.interrupt;
  return {
    supervisor,
    owner,
    interrupt,
    clock,
    notices,
    directory: toCallDirectory(deps, { tool, entered: directory }),
    start: async (spec) => {
      const from = { owner, ...(callId !== null && { callId }) };
      if ('run' in spec) {
        abandon.throwIfAborted();
        return supervisor.start({ ...spec, ...from });
      }
      const { command, ended } = await prepareCommand(spec, { policy, supervisor, ...prepared.intent.start });
      try {
        // The process would go unnoticed.
        abandon.throwIfAborted();
        const handle = supervisor.start({ ...command, ...from });
        void handle.ended.then(ended);
        return handle;
      } catch (error) {
        ended();
        throw error;
      }
    },
  };
}

/**
 * Creates the owner's directory for one call. The call runs in the directory that the policy judged, even if another call has moved the owner
 * since. A command that ends where it began does not move the owner, so it cannot undo the `cd` of a concurrent call.
 */
function toCallDirectory(
  { directory, policy, supervisor }: CallDeps,
  { tool, entered }: { readonly tool: string; readonly entered: EnteredDirectory },
): CallDirectory {
  const { cwd: start } = supervisor;
  if (entered.note !== null) directory.move(start);
  const findRefusal = async (cwd: string) => {
    const verdict = await policy.decide({ tool, permission: 'start', start: { command: ':', cwd } });
    return verdict.type === 'deny' ? verdict.reason : null;
  };
  const findObstacle = async (path: string) => {
    const refusal = await findRefusal(path);
    // A policy that refuses this command everywhere says nothing about the directory.
    if (refusal === null || (await findRefusal(start)) === null) return refusal;
    return isInside(path, await toReal(start)) ? null : `${path} is outside of it.`;
  };
  return {
    ...entered,
    follow: async (path) => {
      if (path !== (await toReal(entered.path))) {
        const obstacle = await findObstacle(path);
        const isAllowed = obstacle === null && path !== (await toReal(start));
        directory.move(isAllowed ? path : start);
        if (obstacle !== null) return `Shell cwd was reset to ${start}. ${obstacle}`;
      }
      const { path: next, note } = directory.enter();
      if (note !== null) directory.move(next);
      return note;
    },
    next: () => directory.enter().path,
  };
}

function toReal(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

/** Prepares the command as the policy requires. */
async function prepareCommand(
  given: CommandSpec,
  { policy, supervisor, sandbox }: { policy: Policy; supervisor: Supervisor } & Pick<StartRequest, 'sandbox'>,
): Promise<{ readonly command: CommandSpec; readonly ended: () => void }> {
  const { cwdFile, ...spec } = given;
  const command = toSandboxed(given);
  const cwd = resolve(supervisor.cwd, spec.cwd ?? '.');
  // The program of a delegate must reach its supervisor and its records; what it starts is in the sandbox.
  const isOutside = sandbox === false || spec.kind === 'agent';
  const prepared = await policy.prepare({
    command,
    cwd,
    ...(cwdFile !== undefined && { writable: [dirname(cwdFile)] }),
    ...(isOutside && { sandbox: false }),
  });
  const { ended } = prepared;
  return {
    ended,
    command: {
      ...spec,
      ...(prepared.command === command
        ? { ...(cwdFile !== undefined && { cwdFile }) }
        : toReplaced(prepared)),
      env: { ...spec.env, ...prepared.env },
      ...(prepared.heldBy !== 'nothing' && {
        metadata: { ...spec.metadata, workspaceHeldBy: prepared.heldBy },
      }),
    },
  };
}

/** Returns the spec of a prepared command that shows the original command. */
function toReplaced({ command }: PreparedStart): Partial<CommandSpec> {
  return typeof command === 'string' ? { command } : { wrappedCommand: command };
}

/** Returns the command to run in a sandbox: its shell reports the directory from inside. */
function toSandboxed({ command, cwdFile, shell = 'bash' }: CommandSpec): string | readonly string[] {
  if (cwdFile === undefined || typeof command !== 'string') return command;
  return toReportingCommand(command, { shell, file: cwdFile }) ?? command;
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
