import type { ChatMessage } from '../models/chat-model.ts';
import { chatMessage } from './journal-entry.ts';
import { compactTranscript, sizeOf } from './shorten-transcript.ts';

/** The messages that a hook is to shorten. */
export interface CompactionRequest {
  /** The transcript without its system prompt, oldest first. Results follow their calls directly. */
  readonly messages: readonly ChatMessage[];
  /** The tokens of these messages: the count of the last reply, and an estimate of what followed it. */
  readonly tokens: number;
  /** The number of tokens to reach. */
  readonly maxTokens: number;
  /** The number of messages to reach; `Infinity` for no limit. */
  readonly maxMessages: number;
  /** Aborted when the result is no longer needed. */
  readonly signal: AbortSignal;
}

/**
 * Returns messages that replace the given ones: fewer, or shorter. A summary is a message like any other. Results must
 * follow their calls directly, and in the middle of a turn the last message must not be the agent's. A hook that breaks these rules, or
 * throws, is reported as `compaction.failed`, and the default does the work; one that returns nothing shorter is final.
 */
export type Compact = (
  request: CompactionRequest,
) => readonly ChatMessage[] | Promise<readonly ChatMessage[]>;

/** Drops old tool output first, then old steps. Keeps the task, the notices and the last steps as long as possible. */
export const compactByAge: Compact = ({ messages, tokens, maxTokens, maxMessages }) => {
  const maxBytes = sizeOf(messages) * (maxTokens / Math.max(1, tokens));
  return compactTranscript(messages, { maxBytes, maxMessages })?.messages ?? messages;
};

/** UTF-8 bytes in a token of English text and of code, roughly. */
const BYTES_PER_TOKEN = 4;

/** Returns the count of the last reply that has one, plus an estimate of the messages behind it. */
export function estimateTokens(messages: readonly ChatMessage[]): number {
  const counted = messages.findLastIndex((each) => each.role === 'assistant' && each.usage !== undefined);
  const reply = messages[counted];
  const { inputTokens, outputTokens } = (reply?.role === 'assistant' && reply.usage) || NO_USAGE;
  return inputTokens + outputTokens + Math.ceil(sizeOf(messages.slice(counted + 1)) / BYTES_PER_TOKEN);
}

const NO_USAGE = { inputTokens: 0, outputTokens: 0 };

/** Returns the fault of the messages of a hook, as a clause; `null` if there is none. */
export function findCompactionFault(given: unknown, { inTurn }: { inTurn: boolean }): string | null {
  if (!Array.isArray(given)) return 'it did not return a list of messages';
  const open: string[] = [];
  for (const [index, each] of given.entries()) {
    const parsed = chatMessage.safeParse(each);
    if (!parsed.success) return `message ${index} is not a ChatMessage`;
    if (parsed.data.role === 'system')
      return `message ${index} is a system prompt, which is kept in any case`;
    if (parsed.data.role === 'tool') {
      if (parsed.data.callId !== open.shift()) return `message ${index} does not follow its call`;
      continue;
    }
    if (open.length > 0) return `message ${index} precedes the result of ${open[0]}`;
    if (parsed.data.role === 'assistant') open.push(...parsed.data.toolCalls.map(({ id }) => id));
  }
  if (open.length > 0) return `there is no result for ${open[0]}`;
  return inTurn && given.at(-1)?.role === 'assistant' ? 'the last message is from the agent' : null;
}
