import { z } from 'zod';
import { endProcess } from '../actions/end-and-restart.ts';
import { toAnswer } from '../actions/outcome.ts';
import { type ProcessOutput, readProcessOutput } from '../actions/read-output.ts';
import { runInDirectory } from '../actions/run-in-directory.ts';
import type { RunResult } from '../actions/run-in-foreground.ts';
import { startInBackground } from '../actions/start-in-background.ts';
import { toOutputData, toReadData, toRunData } from '../answer-data.ts';
import { defineTool } from '../define-tool.ts';
import { onEnd } from '../notice-words.ts';
import { toSummary } from '../process-summary.ts';
import type { ToolAnswer, ToolContext } from '../tool.ts';
import { command } from './fields.ts';

const MAX_TIMEOUT_MS = 600_000;
/** Words of Claude Code before the id of a command in the background. */
const RUNNING = 'Command running in background with ID:';

interface BashInput {
  readonly command: string;
  readonly timeout: number;
  readonly description?: string | undefined;
}

/** The names, fields and units are those of Claude Code. */
export const bash = defineTool({
  name: 'Bash',
  title: 'Run a command',
  description: (notices) =>
    'Executes a bash command and returns its output. The working directory persists between commands: after "cd sub" the next one runs ' +
    'in sub. Nothing else does: variables, functions and aliases end with their command. A command that exceeds its timeout ' +
    'continues in the background, and you get its bash_id for BashOutput and KillShell, as with run_in_background, which suits servers ' +
    `and watchers: no "&" is needed. Background commands do not change the working directory. ${onEnd(notices)} Commands read an empty input.`,
  permission: 'start',
  input: z.strictObject({
    command: command.describe('The command to execute.'),
    timeout: z
      .number()
      .positive()
      .max(MAX_TIMEOUT_MS)
      .default(120_000)
      .describe('Milliseconds to wait for it, at most 600000.'),
    description: z
      .string()
      .min(1)
      .optional()
      .describe('Clear, concise description of what this command does, in 5-10 words.'),
    run_in_background: z
      .boolean()
      .default(false)
      .describe('Runs it in the background; read its output with BashOutput.'),
  }),
  intend: ({ command }) => ({ permission: 'start', start: { command }, keepsDirectory: true }),
  execute: ({ run_in_background, ...input }, context) =>
    run_in_background ? startShell(input, context) : runShell(input, context),
});

async function runShell(
  { command, timeout, description: label }: BashInput,
  context: ToolContext,
): Promise<ToolAnswer> {
  const request = { command, label, timeoutMs: timeout, tool: 'Bash' };
  const { outcome, movedTo, notes } = await runInDirectory(request, context);
  const place = {
    ...(movedTo !== null && { cwd: movedTo }),
    ...(notes.length > 0 && { notice: notes.join(' ') }),
  };
  if (outcome.ok) return toAnswer(outcome, (result) => ({ ...toBashData(result), ...place }));
  const { data } = outcome;
  return data === undefined ? outcome : { ...outcome, data: { ...withBashId(data), ...place } };
}

function toBashData(result: RunResult) {
  const { view } = result;
  if (result.type === 'ended') return withBashId(toRunData(view.id, result.facts));
  return {
    bash_id: view.id,
    status: toState(view),
    message: `${RUNNING} ${view.id}. ${result.message}`,
    ...toReadData(result.read),
    log_file: view.output.logFile,
  };
}

async function startShell(
  { command, description: label }: BashInput,
  context: ToolContext,
): Promise<ToolAnswer> {
  const { path: cwd, note } = context.directory;
  const started = await startInBackground({ command, cwd, label, tool: 'Bash', opening: RUNNING }, context);
  return toAnswer(started, ({ view, message, read }) => ({
    ...withBashId(toSummary(view)),
    status: toState(view),
    message,
    ...(read !== null && toReadData(read)),
    ...(note !== null && { notice: note }),
  }));
}

export const bashOutput = defineTool({
  name: 'BashOutput',
  title: 'Output of a background command',
  description:
    'Retrieves output from a running or completed background command: always only what is new since the last check, with its status. ' +
    'With a filter, only matching lines are shown; the other new lines can no longer be read here.',
  permission: 'output',
  input: z.strictObject({
    bash_id: z.string().min(1).describe('The bash_id of the command.'),
    filter: z.string().min(1).optional().describe('JavaScript regular expression for the lines to show.'),
  }),
  execute: async ({ bash_id: id, filter: grep }, context) =>
    toAnswer(readProcessOutput({ id, grep, sinceLastRead: true }, context), toShellOutput),
});

function toShellOutput(output: ProcessOutput) {
  return { ...withBashId(toOutputData(output)), status: toState(output.view) };
}

export const killShell = defineTool({
  name: 'KillShell',
  title: 'End a background command',
  description:
    'Kills a background command with everything it started, and returns when all of it is gone. Its output stays readable with BashOutput.',
  permission: 'kill',
  input: z.strictObject({ shell_id: z.string().min(1).describe('The bash_id of the command.') }),
  execute: async ({ shell_id: id }, context) =>
    toAnswer(await endProcess({ id }, context), ({ view, message }) => ({
      shell_id: view.id,
      status: toState(view),
      message,
    })),
});

/** Returns the status in the words of Claude Code, where a backgrounded command is `running`. */
function toState({ status }: Pick<ProcessOutput['view'], 'status'>): string {
  return status === 'backgrounded' ? 'running' : status;
}

function withBashId(data: unknown): Readonly<Record<string, unknown>> {
  const { process_id, ...rest } = data as Readonly<Record<string, unknown>>;
  return { bash_id: process_id, ...rest };
}
