import { formatBytes } from '../output/cut-text.ts';
import type { ProcessHandle } from './process-handle.ts';
import type { AgentAnswer } from './result-envelope.ts';

/** Its cursor stands where the output of this attempt begins. */
const READER = 'agent-answer';

/** To be called when another attempt begins: what the ones before have printed is no answer of this one. */
export function beginAnswer(handle: Pick<ProcessHandle, 'read' | 'reader'>): void {
  handle.reader(READER).acknowledge(handle.read({ tail: 0 }));
}

/** A longer answer is refused in words: cut text would no longer be the answer. */
const maxAnswerBytes = 1024 * 1024;

/** Returns what a process of kind `agent` answered; `null` where it printed no answer. */
export function readAgentAnswer(handle: Pick<ProcessHandle, 'id' | 'reader'>): AgentAnswer | null {
  const reader = handle.reader(READER);
  const read = reader.read({ stream: 'stdout', format: 'raw', maxBytes: maxAnswerBytes });
  if (read.droppedBytes === 0 && !read.truncated) return parseAnswer(read.text);
  if (!isObject(read.text)) return null;
  const bytes = read.positions.stdout - reader.positions.stdout;
  const error = `The answer of ${handle.id} is ${bytes} bytes long and was not kept whole; an answer may have ${formatBytes(maxAnswerBytes)}.`;
  return { ok: false, error };
}

function isObject(text: string): boolean {
  return /^\s*\{/.test(text);
}

function parseAnswer(text: string): AgentAnswer | null {
  if (!isObject(text)) return null;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof (value as { ok?: unknown }).ok !== 'boolean') return null;
    const { data, note } = value as { data?: unknown; note?: unknown };
    const isNoted = typeof data === 'string' && typeof note === 'string';
    return isNoted ? { ok: true, data: `${data}\n\n[${note}]` } : (value as AgentAnswer);
  } catch {
    return null;
  }
}
