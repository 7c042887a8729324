import type { ChatMessage, ToolCall } from '../../src/models/chat-model.ts';

type Message<R extends ChatMessage['role']> = Extract<ChatMessage, { role: R }>;

export const user = (text: string): Message<'user'> => ({ role: 'user', text });

export const notice = (text: string): Message<'notice'> => ({ role: 'notice', completionIds: [], text });

export const call = (id: string, argumentsText = '{"x":1}'): ToolCall => ({
  id,
  name: 'look',
  argumentsText,
});

export const reply = (text: string, toolCalls: readonly ToolCall[] = []): Message<'assistant'> => ({
  role: 'assistant',
  text,
  toolCalls,
});

export const result = (callId: string): Message<'tool'> => ({
  role: 'tool',
  callId,
  name: 'look',
  text: JSON.stringify({ ok: true, data: `seen by ${callId}` }),
});

/** What a model is asked for in tests of one reply. */
export const lookTool = {
  name: 'look',
  description: 'Looks.',
  inputSchema: { type: 'object', properties: { x: { type: 'number' } } },
};
