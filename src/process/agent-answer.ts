import { formatBytes } from '../output/cut-text.ts';
import type { ProcessHandle } from './process-handle.ts';
import type { AgentAnswer } from './process-result.ts';

/** Name of the reader whose cursor stands where the output of the current attempt begins. */
const READER = 'agent-answer';

/** Skips what earlier attempts printed; to be called when another attempt begins. */
export function beginAnswer(handle: Pick<ProcessHandle, 'read' | 'reader'>): void {
  handle.reader(READER).acknowledge(handle.read({ tail: 0 }));
}

/** Bound of an answer: a longer one is an error, since cut text would be another answer. */
const maxAnswerBytes = 1024 * 1024;

/** Returns the answer of a process of kind `agent`; `null` where it printed none. */
export function readAgentAnswer(handle: Pick<ProcessHandle, 'id' | 'reader'>): AgentAnswer | null {
  const reader = handle.reader(READER);
  const read = reader.read({ stream: 'stdout', format: 'raw', maxBytes: maxAnswerBytes });
  if (read.droppedBytes === 0 && !read.truncated) return parseAnswer(read.text);
  if (!isObject(read.text)) return null;
  const bytes = read.positions.stdout - reader.positions.stdout;
  const error = `The answer of ${handle.id} is ${bytes} bytes long and was not kept completely; an answer may have at most ${formatBytes(maxAnswerBytes)}.`;
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
    return withRemarks(value as AgentAnswer & { remarks?: unknown; note?: unknown });
  } catch {
    return null;
  }
}

/** Adds to an answer what the agent said later, and the note on what failed later: the agent above reads one text. */
function withRemarks(printed: AgentAnswer & { remarks?: unknown; note?: unknown }): AgentAnswer {
  const { remarks, note, ...answer } = printed;
  if (!answer.ok || typeof answer.data !== 'string') return printed;
  const later = Array.isArray(remarks) ? remarks.filter((remark) => typeof remark === 'string') : [];
  const notes = typeof note === 'string' ? [`[${note}]`] : [];
  if (later.length + notes.length === 0) return printed;
  return { ...answer, data: [answer.data.trimEnd(), ...later, ...notes].join('\n\n') };
}
