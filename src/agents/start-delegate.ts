import type { AgentDefinition } from '../config/agent-file.ts';
import { shorten } from '../config/quote.ts';
import { toMs } from '../config/span.ts';
import type { ProcessHandle } from '../process/process-handle.ts';
import type { ToolContext } from '../tools/tool.ts';
import type { DelegationContext } from './agent.ts';
import { ASK_VARIABLE } from './ask-above.ts';
import type { DelegationGround } from './delegation-ground.ts';
import { toDelegationText } from './delegation-text.ts';
import { feedInput } from './feed-input.ts';
import { findKeys } from './find-keys.ts';
import { onEachAttempt } from './on-each-attempt.ts';

/** What is shown of a task beside its process. */
const SHOWN_TASK_LENGTH = 200;

/** A delegate that is still waited for at its time-out goes to the background, and is not ended by the limit of the foreground. */
const BEYOND_TIMEOUT_MS = 60_000;

export interface DelegateStart {
  readonly delegate: AgentDefinition;
  readonly task: string;
  readonly context: DelegationContext;
  readonly mode: 'subprocess' | 'in_process';
  readonly background: boolean;
  readonly timeoutMs: number;
}

/**
 * Starts a delegate as a supervised process of kind `agent`. What it is told goes by stdin, its keys by the environment: neither is in
 * a command line or a record. Each attempt of it is told the same.
 *
 * @throws TroupeError as `Supervisor.start` does.
 */
export async function startDelegate(
  start: DelegateStart,
  { ground, context }: { ground: DelegationGround; context: ToolContext },
): Promise<ProcessHandle> {
  const { delegate, task, timeoutMs, background } = start;
  const tool = `agent__${delegate.name}`;
  const maxExecutionMs = toMs(ground.definition.supervisor?.max_execution_time ?? '300s');
  const spec = {
    kind: 'agent',
    tool,
    metadata: { agent: delegate.name, task: shorten(task, SHOWN_TASK_LENGTH) },
    timeout: timeoutMs,
    maxExecutionTime: Math.max(maxExecutionMs, timeoutMs + BEYOND_TIMEOUT_MS),
    onTimeout: 'background',
    ...(background && { background }),
  } as const;
  if (start.mode === 'in_process') {
    const inside = await context.start({ ...spec, run: toWork(start, { tool, ground, context }) });
    onEachAttempt(inside, () => {});
    return inside;
  }
  const secrets = await findKeys(delegate, ground);
  const handle = await context.start({
    ...spec,
    command: toCommand(delegate, ground),
    cwd: ground.directory,
    stdin: 'pipe',
    secrets,
    ...(ground.asks !== null && { env: { [ASK_VARIABLE]: ground.asks } }),
  });
  const told = toDelegationText({ task, context: start.context });
  onEachAttempt(handle, () => void feedInput(handle, told));
  return handle;
}

/** A function of that name: it is what the list of processes shows. */
function toWork(
  { delegate, task, context: told }: DelegateStart,
  { tool, ground, context }: { tool: string; ground: DelegationGround; context: ToolContext },
) {
  const works = {
    [tool]: ({ signal, stderr }: { signal: AbortSignal; stderr: (text: string) => void }) =>
      ground.runInProcess({
        definition: delegate,
        task,
        context: told,
        parent: context.owner,
        signal,
        onCall: (name) => stderr(`${name}\n`),
      }),
  };
  return works[tool] as (typeof works)[string];
}

function toCommand(
  { name, limits }: AgentDefinition,
  { execCommand, depth, maxDepth }: DelegationGround,
): [string, ...string[]] {
  const depths = ['--depth', String(depth + 1), '--max-depth', String(maxDepth)];
  // Without a limit of its own it has those of its process, which the agent above has set.
  const timeout = limits?.max_run_time === undefined ? ['--timeout', '0'] : [];
  return [...execCommand, 'exec', name, '--output', 'json', ...depths, ...timeout];
}
