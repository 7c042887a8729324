import { isFinal } from '../../../machines/process/view.ts';
import { describeEnd } from '../../process/end-text.ts';
import type { ProcessHandle } from '../../process/process-handle.ts';
import type { FinalView, ProcessView } from '../../process/process-view.ts';
import type { ProcessBrief, ResultEnvelope } from '../../process/result-envelope.ts';
import { orInterrupted } from '../interruption.ts';
import { isEnded, toRevealed } from '../process-summary.ts';
import type { ToolContext } from '../tool.ts';
import { type CommandRequest, toCommandSpec } from './command-request.ts';
import type { Outcome } from './outcome.ts';
import { describeWhatComes, interruptedBefore } from './start-words.ts';

export interface ForegroundRequest extends CommandRequest {
  /** How long to wait for it, in ms. */
  readonly timeoutMs?: number | undefined;
}

export type RunResult =
  | { readonly type: 'ended'; readonly view: ProcessView; readonly output: unknown }
  /** Nobody waits for it any more. */
  | { readonly type: 'backgrounded'; readonly view: ProcessView; readonly message: string };

/**
 * Runs a command and waits for its result. At its time-out, and when the wait is interrupted, it goes on in the background.
 *
 * @throws TroupeError as `Supervisor.start` does.
 */
export async function runInForeground(
  request: ForegroundRequest,
  context: ToolContext,
): Promise<Outcome<RunResult>> {
  const { interrupt } = context;
  if (interrupt.aborted) return { ok: false, error: interruptedBefore };
  const { timeoutMs } = request;
  const handle = await context.start({
    ...toCommandSpec(request),
    ...(timeoutMs !== undefined && { timeout: timeoutMs }),
  });
  const result = handle.result();
  const outcome = await orInterrupted(result, interrupt);
  if (outcome.type === 'done') return toOutcome(outcome.value, { handle, context });
  if (handle.status === 'pending') {
    // It waits for a slot, and in the background it would not have to: nobody wants it any more.
    await handle.kill({ by: 'agent' });
    return { ok: false, error: interruptedBefore, reveals: toRevealed(handle.view()) };
  }
  // Those that are interrupted with it leave the queue first: in the background this one frees a slot.
  await new Promise(setImmediate);
  handle.background('owner');
  if (isEnded(handle.view())) return toOutcome(await result, { handle, context });
  return { ok: true, value: toInterrupted(handle.view(), context) };
}

function toOutcome(
  envelope: ResultEnvelope,
  { handle, context }: { handle: ProcessHandle; context: ToolContext },
): Outcome<RunResult> {
  const { ok, process, ...said } = envelope;
  const view = handle.view();
  if (ok && process !== null && !isFinal(process.status)) {
    const { message } = said['data'] as { message: string };
    return {
      ok: true,
      value: { type: 'backgrounded', view, message: toLeftWords(process, { message, context }) },
    };
  }
  const reveals = toRevealed(view);
  if (!ok) {
    const error = String('error' in said ? said['error'] : JSON.stringify(said));
    return { ok: false, error: isEnded(view) ? describeFailure(view, error) : error, reveals, worked: true };
  }
  return { ok: true, value: { type: 'ended', view, output: 'data' in said ? said['data'] : said }, reveals };
}

/** What a model is told of a process that nobody waits for any more. */
function toLeftWords(
  { status }: ProcessBrief,
  { message, context }: { message: string; context: ToolContext },
): string {
  if (status === 'pending') return `${message} ${describeWhatComes(context)}`;
  return context.tellsEnds ? message : `It goes on in the background. ${describeWhatComes(context)}`;
}

/** Its code or signal first: what a command prints does not say how it ended. */
function describeFailure(view: FinalView, printed: string): string {
  const end = `Process ${view.id} ${describeEnd(view.reason, view.exit)}`;
  return printed.startsWith(end) ? printed : `${end}:\n${printed}`;
}

function toInterrupted(view: ProcessView, context: ToolContext): RunResult {
  const goesOn =
    view.status === 'stopping'
      ? `Process ${view.id} is being stopped.`
      : `Process ${view.id} goes on in the background. Its output is kept: read it with this id.`;
  return {
    type: 'backgrounded',
    view,
    message: `Interrupted: nobody waits for it any more. ${goesOn} ${describeWhatComes(context)}`,
  };
}
