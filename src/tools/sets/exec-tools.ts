import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { z } from 'zod';
import { waitFor as awaitProcess } from '../../observe/wait-for.ts';
import { describeEnd } from '../../process/describe-end.ts';
import { isEnded } from '../../process/process-view.ts';
import { toAnswer } from '../actions/outcome.ts';
import { readProcessOutput } from '../actions/read-output.ts';
import { runInForeground } from '../actions/run-in-foreground.ts';
import { describeTerminal } from '../actions/start-in-background.ts';
import { writeInput } from '../actions/write-input.ts';
import { toMissingData } from '../answer-data.ts';
import { defineTool } from '../define-tool.ts';
import { findProcess } from '../find-process.ts';
import { describeEndNotice, onEnd } from '../notice-words.ts';
import type { Tool, ToolAnswer, ToolContext } from '../tool.ts';
import { command } from './fields.ts';

/** Approximate bytes of a token; Codex estimates with the same number. */
const BYTES_PER_TOKEN = 4;
const MAX_YIELD_MS = 600_000;

const yieldTime = z.number().min(0).max(MAX_YIELD_MS);
const maxOutputTokens = z
  .int()
  .min(1)
  .max(50_000)
  .default(10_000)
  .describe(
    'Output token budget, of about 4 bytes each. Defaults to 10000; beyond it the middle is left out.',
  );

interface ExecInput {
  readonly cmd: string;
  readonly shell?: string | undefined;
  readonly login: boolean;
  readonly workdir?: string | undefined;
}

/** The names, fields and units are those of Codex. */
export const execCommand = defineTool({
  name: 'exec_command',
  title: 'Run a command',
  description: (notices) =>
    'Runs a command, returning its output, or a session ID for ongoing interaction if it still runs after yield_time_ms: it then continues ' +
    `in the background, and write_stdin polls it. ${onEnd(notices)} Each command begins in its workdir: "cd" does not last, and neither ` +
    'do variables.',
  permission: 'start',
  input: z.strictObject({
    cmd: command.describe('Shell command to execute.'),
    workdir: z
      .string()
      .min(1)
      .optional()
      .describe('Working directory for the command. Defaults to the workspace.'),
    shell: z.string().min(1).optional().describe('Shell binary to launch. Defaults to bash.'),
    tty: z
      .boolean()
      .default(false)
      .describe(
        'True allocates a terminal, and write_stdin can write to it; false uses pipes, with an empty input.',
      ),
    yield_time_ms: yieldTime
      .default(10_000)
      .describe('Milliseconds to wait for its end, at most 600000. Defaults to 10000.'),
    max_output_tokens: maxOutputTokens,
    login: z.boolean().default(false).describe('True runs the shell with -l semantics. Defaults to false.'),
  }),
  intend: (input) => ({
    permission: 'start',
    start: { command: toCommand(input), ...(input.workdir !== undefined && { cwd: input.workdir }) },
  }),
  execute: async (input, context) => {
    const { workdir, tty, yield_time_ms, max_output_tokens } = input;
    const sinceMs = context.clock.nowMs();
    const outcome = await runInForeground(
      {
        command: toCommand(input),
        ...(workdir !== undefined && { cwd: resolve(context.supervisor.cwd, workdir) }),
        interactive: tty,
        timeoutMs: Math.max(1, yield_time_ms),
        tool: 'exec_command',
      },
      context,
    );
    const id = outcome.ok ? outcome.value.view.id : toFailedId(outcome.data);
    if (id === null) return toAnswer(outcome, () => null);
    return answerFor(id, { sinceMs, maxTokens: max_output_tokens, context });
  },
});

/** Returns the command for the policy and the process. A shell that the model chose is judged like any program. */
function toCommand({ cmd, shell, login }: ExecInput): string | readonly [string, ...string[]] {
  return shell === undefined && !login ? cmd : [shell ?? 'bash', login ? '-lc' : '-c', cmd];
}

/** Returns the id of a process that has failed; `null` where nothing was started. */
function toFailedId(data: unknown): string | null {
  const { process_id } = (data ?? {}) as { process_id?: unknown };
  return typeof process_id === 'string' ? process_id : null;
}

const fullWriteStdin = defineTool({
  name: 'write_stdin',
  title: 'Write to a running command',
  description:
    'Writes characters to a session of exec_command that has a terminal, and returns recent output. Without chars it polls any session: it returns ' +
    'when the command ends, or after yield_time_ms. The character \\u0003 interrupts a command in a terminal.',
  permissions: ['write', 'output'],
  input: z.strictObject({
    session_id: z.int().describe('Identifier of the session.'),
    chars: z
      .string()
      .default('')
      .describe('Characters to write. Defaults to empty, which polls without writing.'),
    yield_time_ms: yieldTime
      .optional()
      .describe('Milliseconds to wait for output, at most 600000. Defaults to 250 after writing, else 5000.'),
    max_output_tokens: maxOutputTokens,
  }),
  intend: ({ chars }) => (chars === '' ? { permission: 'output', waits: true } : { permission: 'write' }),
  execute: async ({ session_id, chars, yield_time_ms, max_output_tokens }, context) => {
    const { clock, interrupt } = context;
    const sinceMs = clock.nowMs();
    const id = findSession(session_id, context);
    if (typeof id !== 'string') return id;
    const handle = findProcess(id, context);
    if ('ok' in handle) return handle;
    if (chars !== '') {
      const hint = 'Run it again with exec_command and tty: true to write to it.';
      const written = await writeInput({ id, input: chars, newline: false, endInput: false, hint }, context);
      if (!written.ok) return written;
    }
    const waitMs = yield_time_ms ?? (chars === '' ? 5_000 : 250);
    await awaitProcess(handle, { timeout: Math.max(1, waitMs), clock, signal: interrupt });
    return answerFor(id, { sinceMs, maxTokens: max_output_tokens, context });
  },
});

/** The tool `write_stdin`. Without the permission to write it polls only. */
export const writeStdin: Tool = {
  ...fullWriteStdin,
  narrow: (isAllowed) => {
    const permissions = fullWriteStdin.permissions.filter(isAllowed);
    if (permissions.length === 0) return null;
    if (permissions.includes('write')) return { ...writeStdin, permissions };
    const description =
      'Polls a session of exec_command: returns its new output when the command ends, or after yield_time_ms. Leave chars empty: writing is not allowed here.';
    return { ...writeStdin, permissions, description };
  },
};

/** Returns the answer for a session: the owner's unread output, and the exit or the session id. */
function answerFor(
  id: string,
  {
    sinceMs,
    maxTokens,
    context,
  }: { readonly sinceMs: number; readonly maxTokens: number; readonly context: ToolContext },
): ToolAnswer {
  const maxBytes = maxTokens * BYTES_PER_TOKEN;
  const outcome = readProcessOutput({ id, sinceLastRead: true, maxBytes }, context);
  if (!outcome.ok) return outcome;
  const { view, read } = outcome.value;
  const bytes = Buffer.byteLength(read.text) + read.omittedBytes;
  const data = {
    wall_time_seconds: Math.round(context.clock.nowMs() - sinceMs) / 1_000,
    ...(isEnded(view)
      ? { exit_code: view.exit?.code ?? null, signal: view.exit?.signal ?? null }
      : // Notices name a process by its id.
        { session_id: toSessionId(id), process_id: id }),
    output: read.text,
    ...toMissingData(read),
    ...(read.omittedBytes > 0 && { original_token_count: Math.ceil(bytes / BYTES_PER_TOKEN) }),
  };
  if (!isEnded(view)) {
    const words = [
      `Process running with session ID ${toSessionId(id)}.`,
      ...describeTerminal(view),
      describeEndNotice(context),
    ];
    return toAnswer(outcome, () => ({ ...data, message: words.join(' ') }));
  }
  const { reveals = [], onRecorded } = outcome;
  const left = view.leftovers.map(({ pid, command }) => ({ pid, command }));
  const whole = { ...data, ...(left.length > 0 && { leftovers: left }) };
  const more = { reveals, ...(onRecorded !== undefined && { onRecorded }) };
  if (view.status === 'completed') return { ok: true, data: whole, ...more };
  const error = `Process ${describeEnd(view.reason, view.exit)}.`;
  return { ok: false, error, data: whole, ...more, worked: true };
}

/** Returns the number of a process: the same under every supervisor, so that no table of sessions can be lost. */
function toSessionId(processId: string): number {
  return createHash('sha256').update(processId).digest().readUInt32BE() >>> 1;
}

/** Returns the id of the process with this number, preferably a live one, or an answer that names the running sessions. */
function findSession(
  sessionId: number,
  { supervisor, owner }: ToolContext,
): string | Extract<ToolAnswer, { ok: false }> {
  const views = supervisor.list({ owner, children: true });
  const found = views.find(({ id }) => toSessionId(id) === sessionId);
  if (found !== undefined) return found.id;
  const live = views.filter((view) => !isEnded(view)).map(({ id }) => toSessionId(id));
  const known = live.length === 0 ? 'No command is running.' : `Running: ${live.join(', ')}.`;
  return { ok: false, error: `Unknown session ID ${sessionId}. ${known}`, worked: true };
}
