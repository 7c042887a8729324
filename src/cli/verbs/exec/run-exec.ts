import { text } from 'node:stream/consumers';
import type { AgentResult } from '../../../agents/agent.ts';
import { readAskParent } from '../../../agents/ask-parent.ts';
import { chooseModel } from '../../../agents/choose-model.ts';
import { runAgent } from '../../../agents/create-agent.ts';
import { fromDelegationText, type ParsedDelegation, parseContext } from '../../../agents/delegation-text.ts';
import { loadAgent } from '../../../agents/load-agent.ts';
import { applyOverrides } from '../../../agents/parse-agent-file.ts';
import { toErrorText } from '../../../config/error-text.ts';
import { readRemoteVariables } from '../../../config/remote-options.ts';
import { TroupeError } from '../../../config/troupe-error.ts';
import type { ConversationEvent } from '../../../conversation/conversation-event.ts';
import { type CliIo, printError, printLines, printNote } from '../../cli-io.ts';
import { readDelegationLimits } from '../../delegation-limits.ts';
import { type EndSignal, onEndSignal } from '../../end-signals.ts';
import { exitCodes, toSignalCode } from '../../exit-codes.ts';
import { parseDuration, parseLimit } from '../../flag-values.ts';
import { createPage } from '../../render/page.ts';
import { toPrintable } from '../../render/printable.ts';
import { renderToolAnswer, renderToolCall } from '../../render/tool-lines.ts';
import { findAgentStateDirectory } from '../../with-state.ts';

/** The command line of `troupe exec`: flags as text. */
export interface ExecRequest {
  readonly agent: string;
  readonly task?: string;
  readonly context?: string;
  readonly depth?: string;
  readonly maxDepth?: string;
  readonly output: 'text' | 'json';
  readonly timeout?: string;
  readonly background?: 'wait' | 'kill';
  readonly wait?: string;
  readonly overrides: readonly string[];
  readonly io: CliIo;
}

/** Runs an agent without a person, and prints exactly one result. @returns the exit code. */
export async function runExec(request: ExecRequest): Promise<number> {
  const { output, io } = request;
  const ending = new AbortController();
  let endedBy: EndSignal | null = null;
  const removeSignals = onEndSignal((signal) => {
    endedBy = signal;
    ending.abort();
  });
  try {
    const denied: DeniedCall[] = [];
    const result = await execute(request, { signal: ending.signal, onDenied: (call) => denied.push(call) });
    const signal = endedBy as EndSignal | null;
    const printed: AgentResult = signal === null ? result : { ok: false, error: `Ended by ${signal}.` };
    printResult(printed, { format: output, denied, io });
    if (signal !== null) return toSignalCode(signal);
    if (!printed.ok) return exitCodes.failed;
    // The agent above reads the answer; to it the process has not failed.
    const isDelegate = Number(request.depth ?? 0) > 0;
    return denied.length > 0 && !isDelegate ? exitCodes.denied : exitCodes.done;
  } finally {
    removeSignals();
  }
}

/** A call of the agent that the policy denied. */
interface DeniedCall {
  readonly tool: string;
  readonly reason: string;
}

async function execute(
  request: ExecRequest,
  { signal, onDenied }: { readonly signal: AbortSignal; readonly onDenied: (call: DeniedCall) => void },
): Promise<AgentResult> {
  const { agent, timeout, background, wait, overrides, io } = request;
  const showProgress = createProgress(io);
  try {
    const definition = applyOverrides(await loadAgent(agent, { directory: io.cwd }), overrides);
    const { depth, maxDepth } = request;
    const limits = readDelegationLimits(definition, { depth, maxDepth, env: io.env });
    const assignment = await readAssignment(request, signal);
    if (!assignment.ok) return assignment;
    const ask = readAskParent(io.env);
    const ownProcess = io.env['TROUPE_PROCESS_ID'];
    const { model, notice } = chooseModel(definition, { env: io.env, depth: limits.depth });
    if (notice !== null) printNote(io, notice);
    return await runAgent({
      definition,
      directory: io.cwd,
      model,
      // The processes of a delegate have its own process as their owner, so lists show their origin.
      ...(limits.depth > 0 && ownProcess !== undefined && { id: ownProcess }),
      ...limits,
      ...(ask !== null && { ask }),
      host: { stateDirectory: findAgentStateDirectory(io), ...readRemoteVariables(io.env) },
      task: assignment.task,
      ...(assignment.context !== undefined && { context: assignment.context }),
      ...(timeout !== undefined && { timeout: parseLimit(timeout, '--timeout') }),
      ...(background !== undefined && { background }),
      ...(wait !== undefined && { wait: parseDuration(wait, '--wait') }),
      signal,
      onEvent: (event) => {
        showProgress(event);
        if (event.type !== 'tool.answered' || event.answer.ok || event.answer.denied !== true) return;
        onDenied({ tool: event.call.name, reason: event.answer.error });
      },
    });
  } catch (error) {
    const message = toErrorText(error);
    return { ok: false, error: error instanceof TroupeError ? message : `internal error: ${message}` };
  }
}

/** Reads the task from the flags or from stdin. The context of `--context` overrides that of stdin. */
async function readAssignment(
  { task, context, io }: ExecRequest,
  signal: AbortSignal,
): Promise<ParsedDelegation> {
  const parsed = context === undefined ? null : parseContext(context);
  if (parsed !== null && !parsed.ok) return parsed;
  const read = await readTask(task, { io, signal });
  if (!read.ok || parsed === null) return read;
  return { ...read, context: { ...read.context, ...parsed.context } };
}

async function readTask(
  task: string | undefined,
  { io, signal }: { readonly io: CliIo; readonly signal: AbortSignal },
): Promise<ParsedDelegation> {
  if (task !== undefined && task !== '-') {
    return task.trim() === '' ? fromDelegationText('') : { ok: true, task };
  }
  // At a terminal a task is not asked for.
  if (io.stdin.isTTY && task === undefined) return fromDelegationText('');
  const aborted = new Promise<string>((resolve) => {
    signal.addEventListener('abort', () => resolve(''), { once: true });
  });
  return fromDelegationText(await Promise.race([text(io.stdin), aborted]));
}

/** Prints the agent's tool calls and their answers to stderr, at a terminal only. */
function createProgress(io: CliIo): (event: ConversationEvent) => void {
  const page = createPage(io.stderr);
  const print = (lines: readonly string[]) => io.stderr.write(lines.map((line) => `${line}\n`).join(''));
  if (!io.stderr.isTTY) return () => {};
  return (event) => {
    if (event.type === 'tool.called') print(renderToolCall(event.call, page));
    if (event.type === 'tool.answered') print(renderToolAnswer(event, page));
  };
}

/**
 * Prints a result: as JSON it is all of stdout; as text the answer goes to stdout, and an error or what the agent said after its answer
 * to stderr. Control sequences are removed at a terminal, and kept in a file or a pipe.
 */
export function printResult(
  result: AgentResult,
  {
    format,
    denied = [],
    io,
  }: { readonly format: 'text' | 'json'; readonly denied?: readonly DeniedCall[]; readonly io: CliIo },
): void {
  if (format === 'text')
    for (const { tool, reason } of denied) printNote(io, `${tool} was denied: ${reason}`);
  if (format === 'json') printLines(io, JSON.stringify({ ...result, ...(denied.length > 0 && { denied }) }));
  else if (!result.ok) printError(io, result.error);
  else {
    printLines(io, (io.stdout.isTTY ? toPrintable(result.data) : result.data).trimEnd());
    for (const remark of result.remarks ?? []) {
      printNote(io, 'After its answer the agent said:');
      io.stderr.write(`${(io.stderr.isTTY ? toPrintable(remark) : remark).trimEnd()}\n`);
    }
    if (result.note !== undefined) printNote(io, result.note);
  }
}
