import type { ChatMessage } from './chat-model.ts';

type AssistantMessage = Extract<ChatMessage, { role: 'assistant' }>;
type ToolMessage = Extract<ChatMessage, { role: 'tool' }>;

/** Consecutive messages of one role. */
export type Turn =
  | { readonly role: 'system'; readonly text: string }
  /** Texts of users and notices, one each. */
  | { readonly role: 'user'; readonly texts: readonly string[] }
  | AssistantMessage
  /** Results in the order of the calls in the assistant's turn before. */
  | { readonly role: 'tool'; readonly results: readonly ToolMessage[] };

/**
 * Rule for a user message directly after tool results: `free` if the provider accepts it, `strict` if not
 * (Mistral, some chat templates). `strict` inserts one constant sentence of the assistant.
 */
export type Alternation = 'free' | 'strict';

const BRIDGE = 'I have read the results.';

/**
 * Orders messages as all providers accept them: the system's text first, then user and assistant alternating,
 * and after an assistant's calls exactly their results. Empty texts are dropped, because providers refuse
 * them, and so are results whose calls are gone; a call without a result gets a generated one.
 *
 * Appending messages leaves all turns but the last unchanged.
 */
export function alternateRoles(
  messages: readonly ChatMessage[],
  { alternation }: { readonly alternation: Alternation },
): readonly Turn[] {
  const turns: Turn[] = [];
  const system = messages.flatMap((message) => (message.role === 'system' ? [message.text] : []));
  const words = system.filter((text) => text.trim() !== '');
  if (words.length > 0) turns.push({ role: 'system', text: words.join('\n\n') });

  for (const [index, message] of messages.entries()) {
    if (message.role === 'assistant') {
      addReply(message, resultsBehind(index, messages), turns);
    } else if (message.role === 'user' || message.role === 'notice') {
      addWords(message.text, turns, alternation);
    }
  }
  return turns;
}

function addReply(message: AssistantMessage, results: ReadonlyMap<string, ToolMessage>, turns: Turn[]): void {
  const { text, toolCalls, providerData } = message;
  if (toolCalls.length === 0 && text.trim() === '') return;
  turns.push({ role: 'assistant', text, toolCalls, ...(providerData !== undefined && { providerData }) });
  if (toolCalls.length === 0) return;
  turns.push({
    role: 'tool',
    results: toolCalls.map(({ id, name }) => {
      const result = results.get(id);
      return result === undefined ? unanswered(id, name) : { ...result, name };
    }),
  });
}

/** Collects results up to the next reply, since an id may be reused later. */
function resultsBehind(index: number, messages: readonly ChatMessage[]): ReadonlyMap<string, ToolMessage> {
  const results = new Map<string, ToolMessage>();
  for (let place = index + 1; place < messages.length; place += 1) {
    const message = messages[place];
    if (message === undefined || message.role === 'assistant') break;
    if (message.role === 'tool' && !results.has(message.callId)) results.set(message.callId, message);
  }
  return results;
}

function unanswered(callId: string, name: string): ToolMessage {
  const answer = { ok: false, error: 'There is no answer: the call was interrupted.' };
  return { role: 'tool', callId, name, text: JSON.stringify(answer) };
}

function addWords(text: string, turns: Turn[], alternation: Alternation): void {
  if (text.trim() === '') return;
  const last = turns.at(-1);
  if (last?.role === 'user') {
    turns[turns.length - 1] = { role: 'user', texts: [...last.texts, text] };
    return;
  }
  if (last?.role === 'tool' && alternation === 'strict') {
    turns.push({ role: 'assistant', text: BRIDGE, toolCalls: [] });
  }
  turns.push({ role: 'user', texts: [text] });
}
