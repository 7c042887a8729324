import { distinctUntilKeyChanged, filter } from 'rxjs';
import type { AgentDefinition } from '../config/agent-file-schema.ts';
import type { FunctionContext } from '../config/process-spec.ts';
import { shorten } from '../config/quote.ts';
import { toMs } from '../config/span.ts';
import { beginAnswer } from '../process/agent-answer.ts';
import type { ProcessHandle } from '../process/process-handle.ts';
import type { ToolContext } from '../tools/tool.ts';
import type { DelegationContext } from './agent.ts';
import { ASK_VARIABLE } from './ask-parent.ts';
import { keyVariable } from './choose-model.ts';
import type { DelegationDeps } from './delegation-deps.ts';
import { toDelegationText } from './delegation-text.ts';
import { loadAgent } from './load-agent.ts';
import { ownExecCommand } from './own-exec-command.ts';

/** Maximum length of a task shown with its process. */
const SHOWN_TASK_LENGTH = 200;

/**
 * Margin that lets a delegate move to the background at its time-out instead of being ended by the foreground limit.
 */
const BEYOND_TIMEOUT_MS = 60_000;

interface DelegateStart {
  readonly delegate: AgentDefinition;
  readonly task: string;
  readonly context: DelegationContext;
  readonly mode: 'subprocess' | 'in_process';
  readonly background: boolean;
  readonly timeoutMs: number;
}

/**
 * Starts a delegate as a supervised process of kind `agent`. Its task is passed by stdin and its keys by the
 * environment, so neither appears in a command line or a record. Every attempt receives the same.
 *
 * @throws TroupeError as `Supervisor.start` does.
 */
export async function startDelegate(
  start: DelegateStart,
  { deps, context }: { deps: DelegationDeps; context: ToolContext },
): Promise<ProcessHandle> {
  const { delegate, task, timeoutMs, background } = start;
  const tool = `agent__${delegate.name}`;
  const maxExecutionMs = toMs(deps.definition.supervisor?.max_execution_time ?? '300s');
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
    const inside = await context.start({ ...spec, run: toWork(start, { tool, deps, context }) });
    onEachAttempt(inside, () => {});
    return inside;
  }
  const secrets = await findKeys(delegate, deps);
  const handle = await context.start({
    ...spec,
    command: toCommand(delegate, deps),
    cwd: deps.directory,
    stdin: 'pipe',
    secrets,
    ...(deps.asks !== null && { env: { [ASK_VARIABLE]: deps.asks } }),
  });
  const told = toDelegationText({ task, context: start.context });
  onEachAttempt(handle, () => void feedInput(handle, told));
  return handle;
}

/** Returns a function with that name, which the list of processes shows. */
function toWork(
  { delegate, task, context: told }: DelegateStart,
  { tool, deps, context }: { tool: string; deps: DelegationDeps; context: ToolContext },
) {
  const works = {
    [tool]: ({ id, signal, stderr }: FunctionContext) =>
      deps.runInProcess({
        id,
        definition: delegate,
        task,
        context: told,
        parent: context.owner,
        signal,
        onCall: (name) => void stderr(`${name}\n`),
      }),
  };
  return works[tool] as (typeof works)[string];
}

function toCommand(
  { name, limits }: AgentDefinition,
  { execCommand = ownExecCommand(), depth, maxDepth }: DelegationDeps,
): [string, ...string[]] {
  const depths = ['--depth', String(depth + 1), '--max-depth', String(maxDepth)];
  // Without a limit of its own it has the limit of its process, set by the agent above.
  const timeout = limits?.max_run_time === undefined ? ['--timeout', '0'] : [];
  return [...execCommand, 'exec', name, '--output', 'json', ...depths, ...timeout];
}

/**
 * Writes the input and end-of-file. A process that does not take all of it reports that itself: half a JSON text is
 * invalid.
 */
async function feedInput(handle: ProcessHandle, text: string): Promise<void> {
  await handle.write(text);
  await handle.endInput();
}

/**
 * Calls back at each start of an agent, including the first; what it prints afterwards is its answer. Ends with the
 * process.
 */
function onEachAttempt(handle: ProcessHandle, begin: () => void): void {
  handle.view$
    .pipe(
      filter(({ status }) => status === 'running' || status === 'backgrounded'),
      distinctUntilKeyChanged('attempt'),
    )
    .subscribe(({ attempt }) => {
      // The subscription comes after the first start, so its answer may already be printed.
      if (attempt > 1) beginAnswer(handle);
      begin();
    });
}

/**
 * Finds the keys of an agent and of those that it may delegate to; commands receive none of them. An agent with an
 * unreadable file needs none; its start reports the problem.
 */
async function findKeys(
  agent: AgentDefinition,
  place: { readonly directory: string; readonly env: Readonly<Record<string, string | undefined>> },
): Promise<Record<string, string>> {
  const names = new Set<string>();
  const seen = new Set<string>();
  const visit = async (definition: AgentDefinition): Promise<void> => {
    seen.add(definition.name);
    const name = keyVariable(definition);
    if (name !== null) names.add(name);
    for (const delegate of definition.delegates ?? []) {
      if (seen.has(delegate)) continue;
      const found = await loadAgent(delegate, place).catch(() => null);
      if (found !== null) await visit(found);
    }
  };
  await visit(agent);
  const entries = [...names].map((name) => [name, place.env[name] ?? ''] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== ''));
}
