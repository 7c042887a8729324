import type { ProcessHandle } from './process-handle.ts';

/** What an agent prints that is a process: one JSON object, what it answered or why it could not. A note stands behind the text. */
export type AgentAnswer =
  | { readonly ok: true; readonly data: unknown }
  | { readonly ok: false; readonly error: unknown };

/** Its cursor stands where the output of this attempt begins. */
const READER = 'agent-answer';

/** To be called when another attempt begins: what the ones before have printed is no answer of this one. */
export function beginAnswer(handle: Pick<ProcessHandle, 'read' | 'reader'>): void {
  handle.reader(READER).acknowledge(handle.read({ tail: 0 }));
}

/** What a process of kind `agent` answered; `null` where it printed no answer, or one longer than what is kept of an output. */
export function readAgentAnswer(handle: Pick<ProcessHandle, 'reader'>): AgentAnswer | null {
  const { text, droppedBytes } = handle
    .reader(READER)
    .read({ stream: 'stdout', format: 'raw', maxBytes: Number.MAX_SAFE_INTEGER });
  return droppedBytes > 0 ? null : parseAnswer(text);
}

function parseAnswer(text: string): AgentAnswer | null {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof (value as { ok?: unknown } | null)?.ok !== 'boolean') return null;
    const { data, note } = value as { data?: unknown; note?: unknown };
    const isNoted = typeof data === 'string' && typeof note === 'string';
    return isNoted ? { ok: true, data: `${data}\n\n[${note}]` } : (value as AgentAnswer);
  } catch {
    return null;
  }
}
