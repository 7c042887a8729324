import { orAborted } from '../config/or-aborted.ts';
import type { ChatMessage, ChatModel, ToolDescription } from '../models/chat-model.ts';
import { collectReply } from '../models/collect-reply.ts';
import { ModelError } from '../models/model-error.ts';

/**
 * Asks the model for one reply. An empty reply counts where no person waits for one.
 *
 * @throws whatever the model throws; ModelError `invalid` for an empty reply to a person who waits; the signal's reason when it is
 * aborted.
 */
export async function requestReply(request: {
  readonly model: ChatModel;
  readonly tools: readonly ToolDescription[];
  readonly messages: readonly ChatMessage[];
  readonly signal: AbortSignal;
  readonly onText: (text: string) => void;
}): Promise<Extract<ChatMessage, { role: 'assistant' }>> {
  const { model, tools, messages, signal, onText } = request;
  const stream = model.stream({ messages, tools, signal });
  const reply = await orAborted(collectReply(stream, { onText, messages }), signal);
  if (isEmpty(reply) && isAwaited(messages)) {
    const message = `The model ${model.name} gave an empty answer: neither text nor a call.`;
    throw new ModelError({ failure: 'invalid', message });
  }
  return reply;
}

/** Returns whether a reply has neither text nor calls. */
export function isEmpty({ text, toolCalls }: Extract<ChatMessage, { role: 'assistant' }>): boolean {
  return text.trim() === '' && toolCalls.length === 0;
}

/** Returns whether a person's message has no final answer yet. */
function isAwaited(messages: readonly ChatMessage[]): boolean {
  const last = messages.findLast(
    (message) => message.role === 'user' || (message.role === 'assistant' && message.toolCalls.length === 0),
  );
  return last?.role === 'user';
}
