import type { Conversation } from '../conversation/conversation.ts';
import type { ConversationEvent, TurnOutcome } from '../conversation/conversation-event.ts';
import type { ToolCall } from '../models/chat-model.ts';
import { toPlainAnswer } from '../tools/answer-text.ts';

/** `UIMessageChunk` of the AI SDK, as far as it is used. Described structurally, so that the SDK need not be installed. */
export type AiSdkUiChunk =
  | { type: 'start' | 'start-step' | 'finish-step' | 'reset-step' | 'finish' | 'abort' }
  | { type: 'text-start' | 'text-end'; id: string }
  | { type: 'text-delta'; id: string; delta: string }
  | { type: 'tool-input-available'; toolCallId: string; toolName: string; input: unknown; dynamic: true }
  | { type: 'tool-output-available'; toolCallId: string; output: unknown; dynamic: true }
  | { type: 'tool-output-error'; toolCallId: string; errorText: string; dynamic: true }
  /** A notice, at its place in the turn. */
  | { type: 'data-notice'; id: string; data: { text: string; completionIds: readonly string[] } }
  /** A message that the user sent during the turn. */
  | { type: 'steering-message'; id: string; parts: { type: 'text'; text: string }[] }
  | { type: 'error'; errorText: string };

/**
 * Sends a message to a troupe conversation and streams the turn as chunks for `createUIMessageStreamResponse` of the AI SDK, for pages with
 * `useChat`: text as the model writes it, tool calls with their answers, and notices as parts `data-notice`. The stream ends with the turn.
 * Cancelling the stream does not interrupt the turn; `conversation.interrupt()` does.
 *
 * A turn that a notice starts has no request to answer: use `events$` or `troupe/react` for these.
 *
 * @example
 * ```ts
 * return createUIMessageStreamResponse({ stream: toUiMessageStream(conversation, 'Build the project.') });
 * ```
 */
export function toUiMessageStream(conversation: Conversation, text: string): ReadableStream<AiSdkUiChunk> {
  let leave = () => {};
  return new ReadableStream<AiSdkUiChunk>({
    start: (controller) => {
      const writer = createWriter(text, (chunk) => controller.enqueue(chunk));
      const subscription = conversation.events$.subscribe(writer.hear);
      const left = new Promise<null>((resolve) => {
        leave = () => resolve(null);
      });
      controller.enqueue({ type: 'start' });
      const end = async () => {
        const outcome = await Promise.race([conversation.say(text), left]).finally(() =>
          subscription.unsubscribe(),
        );
        if (outcome === null) return;
        writer.end(outcome);
        controller.close();
      };
      end().catch((error) => controller.error(error));
    },
    cancel: () => leave(),
  });
}

/** Writes chunks in the order of the events. A step is a reply of the model with its calls. */
function createWriter(said: string, write: (chunk: AiSdkUiChunk) => void) {
  let replies = 0;
  let users = 0;
  let isStepOpen = false;
  let isTextOpen = false;
  const open = new Set<string>();
  const id = () => `text-${replies}`;

  const beginStep = () => {
    if (isStepOpen) return;
    isStepOpen = true;
    replies += 1;
    write({ type: 'start-step' });
  };
  const writeText = (delta: string) => {
    beginStep();
    if (!isTextOpen) write({ type: 'text-start', id: id() });
    isTextOpen = true;
    write({ type: 'text-delta', id: id(), delta });
  };
  const endText = () => {
    if (isTextOpen) write({ type: 'text-end', id: id() });
    isTextOpen = false;
  };
  const endStep = () => {
    endText();
    if (isStepOpen) write({ type: 'finish-step' });
    isStepOpen = false;
    open.clear();
  };
  const record = ({ message }: Extract<ConversationEvent, { type: 'message.recorded' }>) => {
    if (message.role === 'assistant') {
      beginStep();
      if (!isTextOpen && message.text !== '') writeText(message.text);
      endText();
      for (const call of message.toolCalls) {
        open.add(call.id);
        const { id: toolCallId, name: toolName } = call;
        write({ type: 'tool-input-available', toolCallId, toolName, input: toInput(call), dynamic: true });
      }
      if (open.size === 0) endStep();
    } else if (message.role === 'notice') {
      const { completionIds, text } = message;
      write({ type: 'data-notice', id: completionIds.join(' '), data: { text, completionIds } });
    } else if (message.role === 'user') {
      users += 1;
      if (users === 1 && message.text === said) return;
      write({
        type: 'steering-message',
        id: `message-${users}`,
        parts: [{ type: 'text', text: message.text }],
      });
    }
  };
  const hear = (event: ConversationEvent) => {
    if (event.type === 'text.written') writeText(event.text);
    else if (event.type === 'message.recorded') record(event);
    else if (event.type === 'text.discarded') {
      if (isStepOpen) write({ type: 'reset-step' });
      isTextOpen = false;
    } else if (event.type === 'tool.answered') {
      const { call, answer } = event;
      const link = { toolCallId: call.id, dynamic: true } as const;
      // An error chunk has no place for the output of a failed command.
      const isShown = answer.ok || answer.data !== undefined;
      if (isShown) write({ type: 'tool-output-available', ...link, output: toPlainAnswer(answer) });
      else write({ type: 'tool-output-error', ...link, errorText: answer.error });
      open.delete(call.id);
      if (open.size === 0) endStep();
    }
  };
  const end = (outcome: TurnOutcome) => {
    endStep();
    if (outcome.type === 'interrupted') write({ type: 'abort' });
    const problem = toProblem(outcome);
    if (problem !== null) write({ type: 'error', errorText: problem });
    write({ type: 'finish' });
  };
  return { hear, end };
}

function toProblem(outcome: TurnOutcome): string | null {
  if (outcome.type === 'failed') return outcome.error;
  if (outcome.type === 'stepLimit')
    return `The agent stopped after ${outcome.maxSteps} steps, its limit in one turn.`;
  return outcome.type === 'closed' ? 'The conversation is closed.' : null;
}

/** Parses the arguments of a call. Text that is not JSON is returned unchanged. */
function toInput({ argumentsText }: ToolCall): unknown {
  try {
    return JSON.parse(argumentsText);
  } catch {
    return argumentsText;
  }
}
