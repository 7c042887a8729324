import { type Alternation, alternateRoles, type Turn } from './alternate-roles.ts';
import type { ChatRequest } from './chat-model.ts';
import type { OpenAiSettings } from './model-options.ts';
import { fromProviderData } from './openai-reasoning.ts';
import { toCallInputText, toToolName } from './tool-calls.ts';

/** Creates the body of a request for a streamed chat completion. */
export function toChatBody(
  { messages, tools }: Pick<ChatRequest, 'messages' | 'tools'>,
  settings: Pick<OpenAiSettings, 'model' | 'baseUrl' | 'temperature' | 'maxTokens' | 'alternation'> & {
    /** Asks the endpoint to count tokens. Default `false`. */
    readonly asksUsage?: boolean;
  },
): Readonly<Record<string, unknown>> {
  const { model, temperature, maxTokens, alternation } = settings;
  const turns = alternateRoles(messages, { alternation });
  return {
    model,
    messages: turns.flatMap((turn) => toMessages(turn, { model, alternation })),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, inputSchema }) => ({
        type: 'function',
        function: { name, description, parameters: inputSchema },
      })),
    }),
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && { [toLimitName(settings.baseUrl)]: maxTokens }),
    stream: true,
    ...(settings.asksUsage === true && { stream_options: { include_usage: true } }),
  };
}

/** Converts each text of the user to its own message, or to its own part if roles must alternate. */
function toMessages(
  turn: Turn,
  { model, alternation }: { model: string; alternation: Alternation },
): readonly object[] {
  switch (turn.role) {
    case 'system':
      return [{ role: 'system', content: turn.text }];
    case 'user':
      if (alternation === 'free' || turn.texts.length === 1) {
        return turn.texts.map((content) => ({ role: 'user', content }));
      }
      return [{ role: 'user', content: turn.texts.map((text) => ({ type: 'text', text })) }];
    case 'assistant':
      return [toReply(turn, model)];
    case 'tool':
      return turn.results.map(({ callId, text }) => ({ role: 'tool', tool_call_id: callId, content: text }));
  }
}

function toReply(
  { text, toolCalls, providerData }: Extract<Turn, { role: 'assistant' }>,
  model: string,
): object {
  if (toolCalls.length === 0) return { role: 'assistant', content: text };
  const { message, extraOf } = fromProviderData(providerData, model);
  return {
    role: 'assistant',
    content: text === '' ? null : text,
    ...message,
    tool_calls: toolCalls.map(({ id, name, argumentsText }, place) => ({
      id,
      type: 'function',
      function: { name: toToolName(name), arguments: toCallInputText(argumentsText) },
      ...extraOf(place),
    })),
  };
}

/** Chooses the new name, which OpenAI's own models require and other endpoints do not know. */
function toLimitName(baseUrl: string): string {
  return /(^|\.)(openai|azure)\.com$/.test(new URL(baseUrl).hostname)
    ? 'max_completion_tokens'
    : 'max_tokens';
}
