import type { ChatMessage } from './chat-model.ts';

type AssistantMessage = Extract<ChatMessage, { role: 'assistant' }>;
type ToolMessage = Extract<ChatMessage, { role: 'tool' }>;

/** Everything that one side says before the other one does. */
export type Turn =
  | { readonly role: 'system'; readonly text: string }
  /** What users said and what notices tell, each in a text of its own. */
  | { readonly role: 'user'; readonly texts: readonly string[] }
  | AssistantMessage
  /** One for each call of the assistant's turn before it, in the same order. */
  | { readonly role: 'tool'; readonly results: readonly ToolMessage[] };

/**
 * Whether the user's side may speak directly after tool results: `free` where providers take that, `strict` where they refuse
 * it (Mistral, some chat templates). `strict` puts one constant sentence of the assistant in between.
 */
export type Alternation = 'free' | 'strict';

const BRIDGE = 'I have read the results.';

/**
 * The order that all providers take: the system's words first, then user and assistant in turn, and behind an assistant's calls
 * their results and nothing else. Texts without a word are left out, because providers refuse them; so are results whose calls
 * are gone, and a call without a result gets one that says so.
 *
 * Adding messages at the end leaves all turns but the last as they were.
 */
export function toTurns(
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

/** Up to the next reply: an id may have been used again since. */
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
