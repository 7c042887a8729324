import type { ChatMessage } from '../models/chat-model.ts';

/**
 * The newest messages of a transcript behind its system prompt and the digest. A reply is never parted from the results of its
 * calls: rather fewer messages are kept. `null` when there is nothing to remove.
 */
export function shortenTranscript(
  transcript: readonly ChatMessage[],
  { keepMessages, toDigestMessage }: { keepMessages: number; toDigestMessage: () => ChatMessage },
): { readonly messages: readonly ChatMessage[]; readonly removed: number } | null {
  const system = transcript[0]?.role === 'system' ? transcript.slice(0, 1) : [];
  const rest = transcript.slice(system.length);
  const wanted = Math.max(0, rest.length - keepMessages);
  const offset = rest.slice(wanted).findIndex(({ role }) => role !== 'tool');
  const removed = offset === -1 ? rest.length : wanted + offset;
  if (removed === 0) return null;
  return { messages: [...system, toDigestMessage(), ...rest.slice(removed)], removed };
}
