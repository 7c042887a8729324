import type { AgentResult } from '../../agents/agent.ts';
import { applyOverrides } from '../../agents/agent-definition.ts';
import { readAskParent } from '../../agents/ask-parent.ts';
import { chooseModel } from '../../agents/choose-model.ts';
import { runAgent } from '../../agents/create-agent.ts';
import { loadAgent } from '../../agents/load-agent.ts';
import { toErrorText } from '../../config/error-text.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import { type CliIo, printNote } from '../cli-io.ts';
import { readDelegationLimits } from '../delegation-limits.ts';
import { type EndSignal, onEndSignal, toSignalCode } from '../end-signals.ts';
import { exitCodes } from '../exit-codes.ts';
import { parseDuration } from '../flag-values.ts';
import { findAgentStateDirectory } from '../with-state.ts';
import type { ExecFlags } from './exec-flags.ts';
import { printResult } from './print-result.ts';
import { createProgress } from './progress.ts';
import { readAssignment } from './read-assignment.ts';

export interface ExecOptions {
  readonly agent: string;
  readonly flags: ExecFlags;
  readonly overrides: readonly string[];
  readonly io: CliIo;
}

/** Runs an agent without a person; prints one result, whatever happens. @returns the exit code. */
export async function runExec(options: ExecOptions): Promise<number> {
  const { flags, io } = options;
  const ending = new AbortController();
  let endedBy: EndSignal | null = null;
  const removeSignals = onEndSignal((signal) => {
    endedBy = signal;
    ending.abort();
  });
  try {
    const result = await execute(options, ending.signal);
    const signal = endedBy as EndSignal | null;
    const told: AgentResult = signal === null ? result : { ok: false, error: `Ended by ${signal}.` };
    printResult(told, { format: flags.output, io });
    if (signal !== null) return toSignalCode(signal);
    return told.ok ? exitCodes.done : exitCodes.failed;
  } finally {
    removeSignals();
  }
}

async function execute(options: ExecOptions, signal: AbortSignal): Promise<AgentResult> {
  const { agent, flags, overrides, io } = options;
  try {
    const definition = applyOverrides(await loadAgent(agent, { directory: io.cwd }), overrides);
    const { depth, maxDepth } = flags;
    const surroundings = readDelegationLimits(definition, { depth, maxDepth, env: io.env });
    const assignment = await readAssignment(flags, { io, signal });
    if (!assignment.ok) return assignment;
    const ask = readAskParent(io.env);
    const { model, notice } = chooseModel(definition, { env: io.env, depth: surroundings.depth });
    if (notice !== null) printNote(io, notice);
    return await runAgent({
      definition,
      directory: io.cwd,
      model,
      ...surroundings,
      ...(ask !== null && { ask }),
      host: { stateDirectory: findAgentStateDirectory(io) },
      task: assignment.task,
      ...(assignment.context !== undefined && { context: assignment.context }),
      ...(flags.timeout !== undefined && { timeoutMs: parseDuration(flags.timeout, '--timeout') }),
      ...(flags.background !== undefined && { background: flags.background }),
      ...(flags.wait !== undefined && { waitMs: parseDuration(flags.wait, '--wait') }),
      signal,
      onEvent: createProgress(io),
    });
  } catch (error) {
    const text = toErrorText(error);
    return { ok: false, error: error instanceof TroupeError ? text : `A fault of troupe itself: ${text}` };
  }
}
