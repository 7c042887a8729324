import { toErrorText } from '../config/error-text.ts';
import type { ChatMessage, ChatModel, ToolCall, ToolDescription } from '../models/chat-model.ts';
import type { Tool, ToolAnswer, ToolContext } from '../tools/tool.ts';
import { callTool } from './call-tool.ts';
import { collectReply } from './collect-reply.ts';
import type { ConversationEvent, TurnOutcome } from './conversation-event.ts';
import type { Inbox, InboxEntry } from './inbox.ts';
import { orAborted } from './or-aborted.ts';

/** What is drained at one safe point, and how often in one turn. The rest waits for the next turn. */
const MAX_MESSAGES_PER_DRAIN = 3;
const MAX_DRAINS_PER_TURN = 5;

/** What a turn works with. All of it outlives the turn. */
export interface TurnWiring {
  readonly model: ChatModel;
  readonly tools: readonly Tool[];
  /** The same tools, as the model is told of them. */
  readonly descriptions: readonly ToolDescription[];
  readonly context: ToolContext;
  readonly inbox: Inbox;
  /** Grows at its end only. */
  readonly transcript: ChatMessage[];
  readonly maxSteps: number;
  /** Aborts the turn; the transcript stays valid: each call in it has its result. */
  readonly signal: AbortSignal;
  /** The messages that the entries become. */
  toMessages(entries: readonly InboxEntry[]): readonly ChatMessage[];
  /** These entries are part of this turn now. */
  onDrained(entries: readonly InboxEntry[]): void;
  emit(event: ConversationEvent): void;
}

/**
 * Runs one turn: the model speaks, its calls are made in parallel, and what has come into the inbox is given to it at safe
 * points only – after all results of a step, and after the final answer. Never rejects.
 */
export async function runTurn(wiring: TurnWiring): Promise<TurnOutcome> {
  const { inbox, maxSteps, signal } = wiring;
  const drain = createDrain(wiring);
  drain();
  for (let step = 0; step < maxSteps; step += 1) {
    const reply = await think(wiring);
    if ('type' in reply) return reply;
    if (reply.toolCalls.length > 0) {
      await act(reply.toolCalls, wiring);
      if (signal.aborted) return { type: 'closed' };
      drain();
      continue;
    }
    // What only adds to the context is no reason to go on.
    if (!inbox.wakes || !drain()) return { type: 'answered', text: reply.text };
  }
  return { type: 'stepLimit', maxSteps };
}

/** Empties the inbox into the transcript; `false` when nothing was taken out of it. */
function createDrain(wiring: TurnWiring): () => boolean {
  let drains = 0;
  return () => {
    if (drains === MAX_DRAINS_PER_TURN) return false;
    const entries = wiring.inbox.drain({ maxMessages: MAX_MESSAGES_PER_DRAIN });
    if (entries.length === 0) return false;
    drains += 1;
    for (const message of wiring.toMessages(entries)) record(message, wiring);
    wiring.onDrained(entries);
    return true;
  };
}

async function think(wiring: TurnWiring): Promise<Extract<ChatMessage, { role: 'assistant' }> | TurnOutcome> {
  const { model, descriptions, transcript, signal, emit } = wiring;
  try {
    const stream = model.stream({ messages: [...transcript], tools: descriptions, signal });
    const onText = (text: string) => emit({ type: 'text.written', text });
    const reply = await orAborted(collectReply(stream, { onText }), signal);
    record(reply, wiring);
    return reply;
  } catch (error) {
    if (signal.aborted) return { type: 'closed' };
    return { type: 'failed', error: toErrorText(error) };
  }
}

/** Makes all calls of a step at once and records their results in the order of the calls. */
async function act(calls: readonly ToolCall[], wiring: TurnWiring): Promise<void> {
  const { inbox, signal, emit } = wiring;
  const results = await Promise.all(
    calls.map(async (call) => {
      emit({ type: 'tool.called', call });
      const result = toResult(call, await callTool(call, wiring));
      emit({ type: 'tool.answered', call, answer: result.answer });
      return result;
    }),
  );
  for (const { message } of results) record(message, wiring);
  if (signal.aborted) return;
  // Only now: an answer that never came into the transcript has told nobody anything.
  const revealed = results.flatMap(({ answer }) => answer.reveals ?? []);
  for (const completionId of inbox.withdraw(revealed)) emit({ type: 'notice.withdrawn', completionId });
}

/** A tool that somebody else wrote may answer what is no answer, or cannot be written down. */
function toResult(call: ToolCall, answer: ToolAnswer): { answer: ToolAnswer; message: ChatMessage } {
  const { id: callId, name } = call;
  try {
    const { reveals: _, ...shown } = answer;
    return { answer, message: { role: 'tool', callId, name, text: JSON.stringify(shown) } };
  } catch (error) {
    const failure = { ok: false, error: `The answer of ${name} is no JSON: ${String(error)}` } as const;
    return { answer: failure, message: { role: 'tool', callId, name, text: JSON.stringify(failure) } };
  }
}

function record(message: ChatMessage, { transcript, emit }: TurnWiring): void {
  transcript.push(message);
  emit({ type: 'message.recorded', message });
}
