import { orAborted } from '../config/or-aborted.ts';
import type { ChatMessage, ChatModel, ToolDescription } from '../models/chat-model.ts';
import { collectReply } from '../models/collect-reply.ts';
import { ModelError } from '../models/model-error.ts';

/**
 * Lets the model speak once.
 *
 * @throws whatever the model throws; ModelError `invalid` when it says nothing; the signal's reason when that is aborted.
 */
export async function think(request: {
  readonly model: ChatModel;
  readonly tools: readonly ToolDescription[];
  readonly messages: readonly ChatMessage[];
  readonly signal: AbortSignal;
  readonly onText: (text: string) => void;
}): Promise<Extract<ChatMessage, { role: 'assistant' }>> {
  const { model, tools, messages, signal, onText } = request;
  const stream = model.stream({ messages, tools, signal });
  const reply = await orAborted(collectReply(stream, { onText, messages }), signal);
  if (reply.text.trim() === '' && reply.toolCalls.length === 0) {
    const message = `The model ${model.name} gave an empty answer: neither text nor a call.`;
    throw new ModelError({ failure: 'invalid', message });
  }
  return reply;
}
