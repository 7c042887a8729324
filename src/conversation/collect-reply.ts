import type { ChatDelta, ChatMessage, ToolCall } from '../models/chat-model.ts';

/** Reads a model's stream to its end. Rejects as the stream does. */
export async function collectReply(
  stream: AsyncIterable<ChatDelta>,
  { onText }: { onText: (text: string) => void },
): Promise<Extract<ChatMessage, { role: 'assistant' }>> {
  const calls = new Map<string, ToolCall>();
  let text = '';
  for await (const delta of stream) {
    if (delta.type === 'text') {
      text += delta.text;
      onText(delta.text);
      continue;
    }
    const { id, name, argumentsText } = calls.get(delta.id) ?? { id: delta.id, name: '', argumentsText: '' };
    calls.set(id, {
      id,
      name: delta.name ?? name,
      argumentsText: argumentsText + (delta.argumentsText ?? ''),
    });
  }
  return { role: 'assistant', text, toolCalls: [...calls.values()] };
}
