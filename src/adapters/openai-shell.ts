import type { ProcessSignal } from '../../machines/process/context.ts';
import { shorten } from '../config/quote.ts';
import { toSignalCode } from '../config/signal-name.ts';
import type { ProcessHandle } from '../process/process-handle.ts';
import type { StartedResult } from '../process/process-result.ts';
import { neutraliseMarkup } from '../tools/answer-text.ts';
import { toRevealed } from '../tools/process-summary.ts';
import type { ToolHost } from '../tools/tool-host.ts';

/** Action of the shell tool. */
export interface OpenAiShellAction {
  /** Lines for the shell. */
  readonly commands: readonly string[];
  /** Time for each command, in ms. Default, also for 0: `timeout` of the supervisor. */
  readonly timeoutMs?: number | undefined;
  /** Limit for the two texts of a command together, in UTF-16 units; longer ones keep head and tail. Default: no further limit. */
  readonly maxOutputLength?: number | undefined;
}

/** Result of one command. A type, since the SDK's has an index signature, which an interface does not fit. */
export type OpenAiShellOutput = {
  readonly stdout: string;
  /** The last sentence names the cause where the command did not exit, such as a signal or a refusal. */
  readonly stderr: string;
  /** `exitCode` is 128 plus its number for a signal, 126 where nothing was started, and 1 where the end is unknown. */
  readonly outcome: { readonly type: 'timeout' } | { readonly type: 'exit'; readonly exitCode: number };
};

/** Options for `shellTool` of `@openai/agents`. */
export interface OpenAiShell {
  readonly shell: {
    run(action: OpenAiShellAction): Promise<{ output: OpenAiShellOutput[]; maxOutputLength?: number }>;
  };
  /** Asks the policy about each command of the action. */
  readonly needsApproval: (context: unknown, action: OpenAiShellAction, callId?: string) => Promise<boolean>;
}

/**
 * Returns a shell for the local shell tool of the OpenAI Agents SDK. It runs the commands of an action one after another, as calls of the
 * host's `run_command`: under its policy and owner, in processes of its supervisor. Each command is reported, also after one that failed. The protocol
 * has no word for a command that continues, so one that exceeds its time is killed, with its whole tree.
 *
 * @example
 * ```ts
 * const agent = new Agent({ name: 'Builder', tools: [shellTool(createOpenAiShell(host))] });
 * ```
 */
export function createOpenAiShell(host: ToolHost): OpenAiShell {
  return {
    shell: {
      run: async (action) => {
        const { maxOutputLength } = action;
        const output: OpenAiShellOutput[] = [];
        for (const command of action.commands) output.push(await runCommand(host, command, action));
        return { output, ...(maxOutputLength !== undefined && { maxOutputLength }) };
      },
    },
    needsApproval: async (_, { commands }, id) => {
      const decisions = await Promise.all(commands.map((command) => host.decide(toRequest(command, { id }))));
      return decisions.some(({ type }) => type === 'ask');
    },
  };
}

function toRequest(command: string, more: { readonly id?: string | undefined; readonly seconds?: number }) {
  const { id, seconds } = more;
  const input = { command, ...(seconds !== undefined && { timeout_seconds: seconds }) };
  return { id, name: 'run_command', input };
}

async function runCommand(
  host: ToolHost,
  command: string,
  { timeoutMs = 0, maxOutputLength: maxLength = Number.POSITIVE_INFINITY }: OpenAiShellAction,
): Promise<OpenAiShellOutput> {
  let handle: ProcessHandle | null = null as ProcessHandle | null;
  const { answer } = await host.call(
    toRequest(command, timeoutMs === 0 ? {} : { seconds: timeoutMs / 1_000 }),
    // The SDK runs an action only once it is approved.
    { ask: async () => true, onProcess: (started) => (handle = started) },
  );
  if (handle === null) {
    const isOffered = host.tools.some(({ name }) => name === 'run_command');
    const message = isOffered && !answer.ok ? answer.error : 'The policy lets this agent run no commands.';
    return { stdout: '', stderr: shorten(message, maxLength), outcome: { type: 'exit', exitCode: 126 } };
  }
  const result = await handle.result();
  if (result.type !== 'backgrounded' && result.type !== 'queued')
    return toOutput(handle, { outcome: toOutcome(result), message: toMessage(result), maxLength });
  const { message: killed } = await handle.kill({ by: 'agent' });
  // The result reports the end, so a notice must not.
  host.delivered(toRevealed(handle.view()));
  const ended = await handle.result();
  const message = ended.type === 'killed' ? `The time for it was over. ${killed}` : toMessage(ended);
  // It may have ended by itself in the moment between.
  const outcome = ended.type === 'killed' ? ({ type: 'timeout' } as const) : toOutcome(ended);
  return toOutput(handle, { outcome, message, maxLength });
}

/** Returns the sentence about an end without an exit code; empty for an exit. */
function toMessage(result: StartedResult): string {
  const hasExited = 'exitCode' in result && result.exitCode !== null;
  return hasExited || result.type === 'completed' ? '' : result.message;
}

/** Returns an exit code for every end, because the SDK sends `null` as 0. */
function toOutcome(result: StartedResult): OpenAiShellOutput['outcome'] {
  if (!('exitCode' in result) || result.type === 'timed_out') return { type: 'timeout' };
  const { exitCode, signal } = result;
  if (exitCode !== null) return { type: 'exit', exitCode };
  if (signal !== null) return { type: 'exit', exitCode: toSignalCode(signal as ProcessSignal) };
  const hasStarted = result.type !== 'failed' || result.reason.type !== 'spawnFailed';
  return { type: 'exit', exitCode: hasStarted ? 1 : 126 };
}

interface Ending {
  readonly outcome: OpenAiShellOutput['outcome'];
  /** Added to `stderr`; empty for none. */
  readonly message: string;
  readonly maxLength: number;
}

/** Cuts the texts: each may use half of the length, plus what the other leaves unused. */
function toOutput(handle: ProcessHandle, { outcome, message, maxLength }: Ending): OpenAiShellOutput {
  const print = (stream: 'stdout' | 'stderr', length: number) => {
    const end = stream === 'stderr' ? message : '';
    const read = (maxBytes: number) => {
      const bounds = Number.isFinite(maxBytes) ? { maxBytes: Math.max(1, maxBytes) } : {};
      const text = neutraliseMarkup(handle.read({ stream, ...bounds }).text);
      return end === '' || text === '' || text.endsWith('\n') ? text + end : `${text}\n${end}`;
    };
    const whole = read(length);
    return whole.length <= length ? whole : shorten(read(length - end.length - GAP_LINE_LENGTH), length);
  };
  const half = Math.floor(maxLength / 2);
  const stderr = print('stderr', Math.max(half, maxLength - print('stdout', maxLength).length));
  return { stdout: print('stdout', maxLength - stderr.length), stderr, outcome };
}

/** Maximum length of the line that counts the omitted output. */
const GAP_LINE_LENGTH = 60;
