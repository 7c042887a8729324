import type { ChatDelta, ChatMessage, ToolCall } from './chat-model.ts';
import { createCallIds } from './unique-call-ids.ts';

type CallDelta = Extract<ChatDelta, { type: 'toolCall' }>;

/** Stands for the name that a model left out, so that it is told of its mistake as of any unknown tool. */
const UNNAMED = 'unnamed_tool';

interface CallDraft {
  readonly id: string;
  name: string | null;
  argumentsText: string;
}

/** The calls of one reply while they are written. */
export interface CallDrafts {
  add(delta: CallDelta): void;
  readonly size: number;
  /** In the order in which they began, each with an id that is unique among these and in `messages`. */
  finish(messages: readonly ChatMessage[]): readonly ToolCall[];
}

export function createCallDrafts(): CallDrafts {
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
