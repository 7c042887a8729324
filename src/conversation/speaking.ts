import type { ConversationFact } from '../../machines/conversation/events.ts';
import type { ChatModel, ToolDescription } from '../models/chat-model.ts';
import { toModelError } from '../models/to-model-error.ts';
import { neutraliseMarkup } from '../tools/notice-markup.ts';
import type { ConversationEvent } from './conversation-event.ts';
import type { Memory } from './memory.ts';
import { think } from './think.ts';

/** Lets the model speak, once at a time, and records what it says. */
export interface Speaking {
  /** Tells `model.replied` or `model.failed`. */
  begin(): void;
  /** Nothing is told any more; what the model has said so far is recorded. */
  stop(): void;
  /** What went wrong the last time, in words. */
  readonly failure: string;
}

export function createSpeaking(world: {
  readonly model: ChatModel;
  readonly descriptions: readonly ToolDescription[];
  readonly memory: Memory;
  emit(event: ConversationEvent): void;
  tell(fact: ConversationFact): void;
}): Speaking {
  const { model, descriptions, memory, emit, tell } = world;
  let current: { readonly stopping: AbortController; said: string } | null = null;
  let failure = '';

  const speak = async (speech: { readonly stopping: AbortController; said: string }) => {
    const { signal } = speech.stopping;
    try {
      const reply = await think({
        model,
        tools: descriptions,
        messages: [...memory.transcript],
        signal,
        onText: (text) => {
          if (signal.aborted) return;
          speech.said += text;
          emit({ type: 'text.written', text });
        },
      });
      if (signal.aborted) return;
      current = null;
      const message = { ...reply, text: neutraliseMarkup(reply.text) };
      memory.record(message);
      emit({ type: 'message.recorded', message });
      tell({ type: 'model.replied', calls: reply.toolCalls.length });
    } catch (error) {
      if (signal.aborted) return;
      current = null;
      if (speech.said !== '') emit({ type: 'text.discarded' });
      const { message, isRetryable, retryAfterMs } = toModelError(error);
      failure = message;
      tell({ type: 'model.failed', isRetryable, retryAfterMs });
    }
  };

  return {
    begin: () => {
      current = { stopping: new AbortController(), said: '' };
      void speak(current);
    },
    stop: () => {
      if (current === null) return;
      const { stopping, said } = current;
      current = null;
      stopping.abort(new Error('Nobody waits for this reply any more.'));
      if (said.trim() === '') return;
      const message = { role: 'assistant', text: neutraliseMarkup(said), toolCalls: [] } as const;
      memory.record(message);
      emit({ type: 'message.recorded', message });
    },
    get failure() {
      return failure;
    },
  };
}
