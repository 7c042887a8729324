import type { ConversationFact } from '../../machines/conversation/events.ts';
import type { ChatModel, ToolDescription } from '../models/chat-model.ts';
import { ModelError } from '../models/model-error.ts';
import { toModelError } from '../models/to-model-error.ts';
import { neutraliseMarkup } from '../tools/answer-text.ts';
import type { ConversationEvent } from './conversation-event.ts';
import type { Memory } from './memory.ts';
import { isEmpty, requestReply } from './request-reply.ts';

/** Asks the model for one reply at a time and records it. */
export interface ModelRunner {
  /** Sends `model.replied`, `model.failed` or `context.exceeded`; for the limit only where `mayCompact`. */
  begin(options: { readonly mayCompact: boolean }): void;
  /** Stops the reply: no event follows, and what the model has said so far is recorded. */
  stop(): void;
  /** Begins a new turn: there is no answer in it yet. */
  reset(): void;
  /** The last final answer of the current turn; `''` where there is none. */
  readonly answer: string;
  /** The message of the last failure. */
  readonly failure: string;
}

/** Said when the transcript cannot be made shorter. */
const STUCK =
  'It cannot be shortened further; begin a new conversation, or use a model with a longer context.';

interface Speech {
  readonly stopping: AbortController;
  said: string;
}

export function createModelRunner(deps: {
  readonly model: ChatModel;
  readonly descriptions: readonly ToolDescription[];
  readonly memory: Memory;
  /** Returns whether the transcript has outgrown its limit. */
  isTooLong(): boolean;
  emit(event: ConversationEvent): void;
  tell(fact: ConversationFact): void;
  report(error: unknown): void;
}): ModelRunner {
  const { model, descriptions, memory, emit, tell, report } = deps;
  let current: Speech | null = null;
  let answer = '';
  let failure = '';

  const listen = async (speech: Speech) => {
    const { signal } = speech.stopping;
    try {
      return await requestReply({
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
    } catch (error) {
      return toModelError(error);
    }
  };

  const speak = async (speech: Speech) => {
    const reply = await listen(speech);
    if (speech.stopping.signal.aborted) return;
    current = null;
    if (reply instanceof ModelError) {
      if (speech.said !== '') emit({ type: 'text.discarded' });
      if (reply.failure === 'tooLong') {
        failure = `${reply.message} ${STUCK}`;
        return tell({ type: 'context.exceeded', by: 'model' });
      }
      failure = reply.message;
      const { isRetryable, retryAfterMs } = reply;
      return tell({ type: 'model.failed', isRetryable, retryAfterMs });
    }
    // Text that a provider has signed must not change.
    const message =
      reply.providerData === undefined ? { ...reply, text: neutraliseMarkup(reply.text) } : reply;
    // Providers refuse an empty message.
    if (!isEmpty(message)) {
      memory.record(message);
      emit({ type: 'message.recorded', message });
      if (message.toolCalls.length === 0) answer = message.text;
    }
    tell({ type: 'model.replied', calls: message.toolCalls.length });
  };

  return {
    begin: ({ mayCompact }) => {
      const speech = { stopping: new AbortController(), said: '' };
      current = speech;
      if (!mayCompact || !deps.isTooLong()) return void speak(speech).catch(report);
      // The chart is in the middle of a step.
      queueMicrotask(() => {
        if (!speech.stopping.signal.aborted) tell({ type: 'context.exceeded', by: 'limit' });
      });
    },
    stop: () => {
      if (current === null) return;
      const { stopping, said } = current;
      current = null;
      stopping.abort(new Error('The reply is no longer needed.'));
      if (said.trim() === '') return;
      const message = { role: 'assistant', text: neutraliseMarkup(said), toolCalls: [] } as const;
      memory.record(message);
      emit({ type: 'message.recorded', message });
    },
    reset: () => {
      answer = '';
    },
    get answer() {
      return answer;
    },
    get failure() {
      return failure;
    },
  };
}
