import { describeEnd } from '../process/end-text.ts';
import type { ProcessHandle } from '../process/process-handle.ts';
import type { FinalView, ProcessView } from '../process/process-view.ts';
import { toRevealed } from '../tools/process-summary.ts';
import type { ToolAnswer } from '../tools/tool.ts';

/** An answer is read whole up to here; of a longer one it is said that it is cut. */
const MAX_READ_BYTES = 1024 * 1024;
const MAX_SHOWN_LENGTH = 32 * 1024;
const MAX_COMPLAINT_BYTES = 2_000;

/** What a delegate that has ended answered; where it said nothing that is an answer, how it ended. */
export function toDelegateAnswer(handle: ProcessHandle, view: FinalView): ToolAnswer {
  const reveals = toRevealed(view);
  const { text, truncated, droppedBytes } = handle.read({
    stream: 'stdout',
    format: 'raw',
    maxBytes: MAX_READ_BYTES,
  });
  const said = truncated || droppedBytes > 0 ? null : parseResult(text);
  if (said === null) return { ok: false, error: describeSilence(handle, view), reveals, worked: true };
  if (said.ok) return { ok: true, data: shorten(said.data, handle.id), reveals };
  return { ok: false, error: String(shorten(said.error, handle.id)), reveals, worked: true };
}

/** What the model is told of a delegate that nobody waits for. */
export function toRunningAnswer(view: ProcessView, why: string): ToolAnswer {
  const message =
    `${why} It goes on in the background as ${view.id}. A notice with its answer comes by itself when it ends; ` +
    'there is no need to poll.';
  return { ok: true, data: { status: view.status, process_id: view.id, message } };
}

type Said = { readonly ok: true; readonly data: unknown } | { readonly ok: false; readonly error: unknown };

function parseResult(text: string): Said | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof (value as { ok?: unknown } | null)?.ok === 'boolean' ? (value as Said) : null;
  } catch {
    return null;
  }
}

function describeSilence(handle: ProcessHandle, view: FinalView): string {
  const name = String(view.metadata['agent']);
  const { text } = handle.read({ stream: 'stderr', tail: 20, maxBytes: MAX_COMPLAINT_BYTES });
  const complaint = text.trim() === '' ? '' : `\n${text.trim()}`;
  return `The agent ${name} (${view.id}) gave no answer: it ${describeEnd(view.reason, view.exit)}.${complaint}`;
}

function shorten(value: unknown, id: string): unknown {
  if (typeof value !== 'string' || value.length <= MAX_SHOWN_LENGTH) return value;
  return `${value.slice(0, MAX_SHOWN_LENGTH)}\n[${value.length - MAX_SHOWN_LENGTH} more characters; the whole is the output of ${id}]`;
}
