import { createCallDrafts } from './call-drafts.ts';
import type { ChatDelta, ChatMessage, ProviderData, TokenUsage } from './chat-model.ts';
import { ModelError } from './model-error.ts';

/** Far above what any model may write; a stream that goes beyond repeats itself for ever. */
const MAX_CHARACTERS = 8 * 2 ** 20;
const MAX_CALLS = 256;

/**
 * Reads a model's stream to its end. Two calls with one id become two calls, and no call gets an id that `messages` have
 * already: results are matched by id. A reply without text and calls is returned as such.
 *
 * @throws what the stream rejects with, and ModelError `invalid` beyond 8 Mi characters or 256 calls.
 */
export async function collectReply(
  stream: AsyncIterable<ChatDelta>,
  { onText, messages = [] }: { onText: (text: string) => void; messages?: readonly ChatMessage[] },
): Promise<Extract<ChatMessage, { role: 'assistant' }>> {
  const drafts = createCallDrafts();
  let text = '';
  let characters = 0;
  let providerData: ProviderData | null = null;
  let usage: TokenUsage | null = null;

  for await (const delta of stream) {
    characters += lengthOf(delta);
    if (characters > MAX_CHARACTERS) throw endless(`more than ${MAX_CHARACTERS} characters`);
    if (delta.type === 'providerData') {
      providerData = delta.data;
    } else if (delta.type === 'usage') {
      usage = delta.usage;
    } else if (delta.type === 'toolCall') {
      drafts.add(delta);
      if (drafts.size > MAX_CALLS) throw endless(`more than ${MAX_CALLS} calls`);
    } else if (delta.text !== '') {
      text += delta.text;
      onText(delta.text);
    }
  }

  const toolCalls = drafts.finish(messages);
  return {
    role: 'assistant',
    text,
    toolCalls,
    ...(providerData !== null && { providerData }),
    ...(usage !== null && { usage }),
  };
}

function lengthOf(delta: ChatDelta): number {
  if (delta.type === 'text') return delta.text.length;
  return delta.type === 'toolCall' ? (delta.argumentsText ?? '').length : 0;
}

function endless(what: string): ModelError {
  return new ModelError({ failure: 'invalid', message: `The model's reply has no end: ${what}.` });
}
