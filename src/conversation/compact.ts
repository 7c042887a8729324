import type { ChatMessage } from '../models/chat-model.ts';
import { chatMessage } from './journal-entry.ts';
import { compactTranscript, sizeOf } from './shorten-transcript.ts';

/** What a hook is to make shorter. */
export interface CompactionRequest {
  /** The transcript without its system prompt, oldest first. Results stand directly behind their calls. */
  readonly messages: readonly ChatMessage[];
  /** How many tokens they have: by the count of the last reply, and by an estimate of what came behind it. */
  readonly tokens: number;
  /** How many to come down to. */
  readonly maxTokens: number;
  /** How many messages to come down to; `Infinity` where that is free. */
  readonly maxMessages: number;
  /** Aborted when no result is wanted any more. */
  readonly signal: AbortSignal;
}

/**
 * Returns the messages that take the place of the given ones: fewer, or shorter. A summary is a message like any other. Results must
 * stay directly behind their calls, and in the middle of a turn the last message must not be the agent's. What breaks these rules, and a hook
 * that throws, is reported as `compaction.failed`, and the default takes its place; a hook that returns nothing shorter has the last word.
 */
export type Compact = (
  request: CompactionRequest,
) => readonly ChatMessage[] | Promise<readonly ChatMessage[]>;

/** Drops old tool output first, then old steps. The task, the notices and the last steps stay as long as they can. */
export const compactByAge: Compact = ({ messages, tokens, maxTokens, maxMessages }) => {
  const maxBytes = sizeOf(messages) * (maxTokens / Math.max(1, tokens));
  return compactTranscript(messages, { maxBytes, maxMessages })?.messages ?? messages;
};

/** UTF-8 bytes in a token of English text and of code, roughly. */
const BYTES_PER_TOKEN = 4;

/** By the count of the last reply that has one, and by the size of all that came behind it. */
export function estimateTokens(messages: readonly ChatMessage[]): number {
  const counted = messages.findLastIndex((each) => each.role === 'assistant' && each.usage !== undefined);
  const reply = messages[counted];
  const { inputTokens, outputTokens } = (reply?.role === 'assistant' && reply.usage) || NO_USAGE;
  return inputTokens + outputTokens + Math.ceil(sizeOf(messages.slice(counted + 1)) / BYTES_PER_TOKEN);
}

const NO_USAGE = { inputTokens: 0, outputTokens: 0 };

/** What is wrong with the messages that a hook returned, in words; `null` where nothing is. */
export function findCompactionFault(given: unknown, { inTurn }: { inTurn: boolean }): string | null {
  if (!Array.isArray(given)) return 'it returned no list of messages';
  const open: string[] = [];
  for (const [index, each] of given.entries()) {
    const parsed = chatMessage.safeParse(each);
    if (!parsed.success) return `message ${index} is no ChatMessage`;
    if (parsed.data.role === 'system') return `message ${index} is a system prompt, which stays by itself`;
    if (parsed.data.role === 'tool') {
      if (parsed.data.callId !== open.shift()) return `message ${index} is not behind its call`;
      continue;
    }
    if (open.length > 0) return `message ${index} stands before the result of ${open[0]}`;
    if (parsed.data.role === 'assistant') open.push(...parsed.data.toolCalls.map(({ id }) => id));
  }
  if (open.length > 0) return `there is no result of ${open[0]}`;
  return inTurn && given.at(-1)?.role === 'assistant' ? 'the last message is the agent’s' : null;
}
