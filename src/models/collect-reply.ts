import type { ChatDelta, ChatMessage, ProviderData, TokenUsage, ToolCall } from './chat-model.ts';
import { ModelError } from './model-error.ts';
import { createCallIds } from './tool-calls.ts';

/** Far more than any model may write: a longer stream repeats itself endlessly. */
const MAX_CHARACTERS = 8 * 2 ** 20;
const MAX_CALLS = 256;

/**
 * Reads a model's stream to its end. Two calls with one id become two calls, and no call gets an id that
 * `messages` contain, since results are matched by id. A reply may be empty.
 *
 * @throws the stream's rejection, and ModelError `invalid` beyond 8 Mi characters or 256 calls.
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
  return new ModelError({ failure: 'invalid', message: `The model's reply is too long: ${what}.` });
}

type CallDelta = Extract<ChatDelta, { type: 'toolCall' }>;

/** Replaces a missing name, so that the model gets the error of an unknown tool. */
const UNNAMED = 'unnamed_tool';

interface CallDraft {
  readonly id: string;
  name: string | null;
  argumentsText: string;
}

/** The calls of one reply while they are streamed. */
interface CallDrafts {
  add(delta: CallDelta): void;
  readonly size: number;
  /** Returns the calls in the order they began, each with an id that is unique among these and in `messages`. */
  finish(messages: readonly ChatMessage[]): readonly ToolCall[];
}

function createCallDrafts(): CallDrafts {
  const drafts: CallDraft[] = [];
  const open = new Map<string, CallDraft>();

  const begin = (id: string): CallDraft => {
    const draft = { id, name: null, argumentsText: '' };
    drafts.push(draft);
    open.set(id, draft);
    return draft;
  };

  return {
    add: (delta) => {
      const known = open.get(delta.id);
      const isSecond = known?.name != null && delta.name !== undefined;
      const draft = known === undefined || isSecond ? begin(delta.id) : known;
      draft.name ??= delta.name ?? null;
      draft.argumentsText += delta.argumentsText ?? '';
    },
    get size() {
      return drafts.length;
    },
    finish: (messages) => {
      const toId = createCallIds(messages);
      return drafts.map(({ id, name, argumentsText }) => ({
        id: toId(id),
        name: name?.trim() || UNNAMED,
        argumentsText,
      }));
    },
  };
}
