import type { OutputRead } from '../../output/read-output.ts';
import type { ProcessHandle } from '../../process/process-handle.ts';
import type { EndedResult, StartedResult } from '../../process/process-result.ts';
import { isEnded, type ProcessView } from '../../process/process-view.ts';
import { toEnvelope } from '../../process/result-envelope.ts';
import { toRunData } from '../answer-data.ts';
import { orInterrupted } from '../interruption.ts';
import { describeEndNotice } from '../notice-words.ts';
import { toRevealed } from '../process-summary.ts';
import type { ToolContext } from '../tool.ts';
import type { Outcome } from './outcome.ts';
import { type CommandRequest, interruptedBefore, toCommandSpec } from './start-in-background.ts';

export interface ForegroundRequest extends CommandRequest {
  /** Time to wait for the result, in ms. */
  readonly timeoutMs?: number | undefined;
}

export type RunResult =
  | { readonly type: 'ended'; readonly view: ProcessView; readonly facts: EndedResult }
  /** The call no longer waits for the process. */
  | {
      readonly type: 'backgrounded';
      readonly view: ProcessView;
      readonly message: string;
      /** Output so far, head and tail. */
      readonly read: OutputRead;
    };

/** Maximum output shown when a command moves to the background. */
const MAX_SHOWN_BYTES = 4_000;

/**
 * Runs a command and waits for its result. On time-out or interruption it continues in the background.
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
  const view = handle.view();
  if (view.status === 'pending' && view.queued) {
    // The process still waits for a slot and is no longer needed; in the background it would start regardless.
    await handle.kill({ by: 'agent' });
    return { ok: false, error: interruptedBefore, reveals: toRevealed(handle.view()) };
  }
  // Other interrupted calls leave the queue first, because moving this one to the background frees a slot.
  await new Promise(setImmediate);
  handle.background('owner');
  if (isEnded(handle.view())) return toOutcome(await result, { handle, context });
  return toBackgrounded(handle, { message: describeInterruption(handle.view(), context), context });
}

function toOutcome(
  result: StartedResult,
  { handle, context }: { handle: ProcessHandle; context: ToolContext },
): Outcome<RunResult> {
  const view = handle.view();
  const reveals = toRevealed(view);
  switch (result.type) {
    case 'backgrounded':
    case 'queued': {
      const message = `${result.message} ${describeEndNotice(context)}`;
      return toBackgrounded(handle, { message, context });
    }
    case 'completed':
      return { ok: true, value: { type: 'ended', view, facts: result }, reveals };
    default: {
      const data = toRunData(view.id, toEnvelope(result));
      return { ok: false, error: result.message, data, reveals, worked: true };
    }
  }
}

/** Describes a command in the background. Its output so far counts as read where all of it is shown. */
function toBackgrounded(
  handle: ProcessHandle,
  { message, context }: { message: string; context: ToolContext },
): Outcome<RunResult> {
  const reader = handle.reader(context.owner);
  const read = handle.read({ maxBytes: MAX_SHOWN_BYTES });
  return {
    ok: true,
    value: { type: 'backgrounded', view: handle.view(), message, read },
    ...(!read.truncated && { onRecorded: () => reader.acknowledge(read) }),
  };
}

function describeInterruption(view: ProcessView, context: ToolContext): string {
  const goesOn =
    view.status === 'stopping'
      ? `Process ${view.id} is being stopped.`
      : `Process ${view.id} continues in the background. Its output is kept: read it with this id.`;
  return `Interrupted: no caller waits for it any more. ${goesOn} ${describeEndNotice(context)}`;
}
