import type { ChatDelta, ChatMessage, ChatModel, ChatRequest } from '../models/chat-model.ts';
import { readDemoPhrase } from './demo-phrase.ts';
import { toDemoRemark } from './demo-remark.ts';

const GREETING = 'I am a small script, not a language model: no key for one is set.';

const ABILITIES = `I understand, one a line:
  run <command>        runs it and shows what it prints; a slow one goes on in the background
  start <command>      starts it in the background
  list                 shows what runs
  check <id>, output <id>, kill <id>
  ask <agent> to <what it shall do>
Set OPENAI_API_KEY (and model.name in the agent's file) to talk to a real model.`;

/**
 * Answers where there is no key for a model: it makes the real calls for a handful of phrases, so that promotions and notices can be
 * seen, and says what it is. It remembers nothing; all that it says follows from the transcript.
 */
export function createDemoModel(): ChatModel {
  return {
    name: 'scripted',
    async *stream(request) {
      const { text, calls } = answer(request);
      for (const piece of text.match(/\S+\s*|\s+/g) ?? []) {
        request.signal.throwIfAborted();
        yield { type: 'text', text: piece };
      }
      yield* calls;
    },
  };
}

interface DemoReply {
  readonly text: string;
  readonly calls: readonly ChatDelta[];
}

function answer({ messages, tools }: ChatRequest): DemoReply {
  const results = trailing(messages, 'tool');
  if (results.length > 0)
    return say(results.map(({ text, name }) => toDemoRemark({ name, text })).join('\n\n'));
  const notices = trailing(messages, 'notice');
  if (notices.length > 0)
    return say(notices.map(({ text }) => toDemoRemark({ name: 'notice', text })).join('\n'));
  const said = trailing(messages, 'user').flatMap(({ text }) => readDemoPhrase(text));
  if (said.length === 0) return say(`${GREETING}\n${ABILITIES}`);
  const missing = said.find(({ name }) => tools.every((tool) => tool.name !== name));
  if (missing !== undefined) {
    const names = tools.map(({ name }) => name).join(', ');
    return say(`I have no tool ${missing.name} here. My tools: ${names === '' ? 'none' : names}.`);
  }
  return {
    text: '',
    calls: said.map(({ name, arguments: given }, index) => ({
      type: 'toolCall',
      id: `call_${messages.length}_${index + 1}`,
      name,
      argumentsText: JSON.stringify(given),
    })),
  };
}

function say(text: string): DemoReply {
  return { text, calls: [] };
}

/** The messages of that role at the end. */
function trailing<R extends ChatMessage['role']>(
  messages: readonly ChatMessage[],
  role: R,
): readonly Extract<ChatMessage, { role: R }>[] {
  const before = messages.findLastIndex((message) => message.role !== role);
  return messages.slice(before + 1) as never;
}
