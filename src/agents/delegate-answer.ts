import { shorten } from '../config/quote.ts';
import { readAgentAnswer } from '../process/agent-answer.ts';
import { describeEnd } from '../process/describe-end.ts';
import type { ProcessHandle } from '../process/process-handle.ts';
import type { FinalView, ProcessView } from '../process/process-view.ts';
import { toRevealed } from '../tools/process-summary.ts';
import type { ToolAnswer } from '../tools/tool.ts';

const MAX_SHOWN_LENGTH = 32 * 1024;
const MAX_COMPLAINT_BYTES = 2_000;

/** What a delegate that has ended answered; where it said nothing that is an answer, how it ended. */
export function toDelegateAnswer(handle: ProcessHandle, view: FinalView): ToolAnswer {
  const reveals = toRevealed(view);
  const said = readAgentAnswer(handle);
  if (said === null) return { ok: false, error: describeSilence(handle, view), reveals, worked: true };
  if (said.ok) return { ok: true, data: cut(said.data, handle.id), reveals };
  return { ok: false, error: String(cut(said.error, handle.id)), reveals, worked: true };
}

/** What the model is told of a delegate that nobody waits for. */
export function toRunningAnswer(view: ProcessView, why: string): ToolAnswer {
  const message =
    `${why} It goes on in the background as ${view.id}. A notice with its answer comes by itself when it ends; ` +
    'there is no need to poll.';
  return { ok: true, data: { status: view.status, process_id: view.id, message } };
}

function describeSilence(handle: ProcessHandle, view: FinalView): string {
  const name = String(view.metadata['agent']);
  const { text } = handle.read({ stream: 'stderr', tail: 20, maxBytes: MAX_COMPLAINT_BYTES });
  const complaint = text.trim() === '' ? '' : `\n${text.trim()}`;
  return `The agent ${name} (${view.id}) gave no answer: it ${describeEnd(view.reason, view.exit)}.${complaint}`;
}

/** Of a long answer its beginning, and how much more there is. */
function cut(value: unknown, id: string): unknown {
  if (typeof value !== 'string' || value.length <= MAX_SHOWN_LENGTH) return value;
  const shown = shorten(value, MAX_SHOWN_LENGTH);
  const left = value.length - (shown.length - 1);
  return `${shown}\n[${left} more characters; the whole is the output of ${id}]`;
}
