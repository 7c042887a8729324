import type { LanguageModelV4FunctionTool, LanguageModelV4Message } from '@ai-sdk/provider';
import { fromReplyRecord } from './ai-sdk-record.ts';
import { type Alternation, alternateRoles, type Turn } from './alternate-roles.ts';
import type { ChatMessage, ToolDescription } from './chat-model.ts';
import { toCallInput, toToolName } from './tool-calls.ts';

/**
 * Converts a transcript to the AI SDK's prompt for one provider. Consecutive texts of the user become parts
 * of one message.
 */
export function toPrompt(
  messages: readonly ChatMessage[],
  { provider, alternation }: { readonly provider: string; readonly alternation: Alternation },
): LanguageModelV4Message[] {
  return alternateRoles(messages, { alternation }).map((turn) => toMessage(turn, provider));
}

function toMessage(turn: Turn, provider: string): LanguageModelV4Message {
  switch (turn.role) {
    case 'system':
      return { role: 'system', content: turn.text };
    case 'user':
      return { role: 'user', content: turn.texts.map((text) => ({ type: 'text', text })) };
    case 'assistant':
      return { role: 'assistant', content: toContent(turn, provider) };
    case 'tool':
      return {
        role: 'tool',
        content: turn.results.map(({ callId, name, text }) => ({
          type: 'tool-result',
          toolCallId: callId,
          toolName: toToolName(name),
          output: { type: 'text', value: text },
        })),
      };
  }
}

type AssistantContent = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'];

function toContent(turn: Extract<Turn, { role: 'assistant' }>, provider: string): AssistantContent {
  const { text, toolCalls, providerData } = turn;
  const calls = toolCalls.map(({ id, name, argumentsText }) => ({
    type: 'tool-call' as const,
    toolCallId: id,
    toolName: toToolName(name),
    input: toCallInput(argumentsText),
  }));
  const recorded = fromReplyRecord(providerData, { provider, text, calls });
  return recorded ?? [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...calls];
}

/** Converts tools to functions with unchanged schemas. */
export function toFunctionTools(tools: readonly ToolDescription[]): LanguageModelV4FunctionTool[] {
  return tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    name,
    description,
    inputSchema,
  }));
}
