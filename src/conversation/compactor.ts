import type { CompactionReason, ConversationFact } from '../../machines/conversation/events.ts';
import { toErrorText } from '../config/error-text.ts';
import { orAborted } from '../config/or-aborted.ts';
import type { ChatMessage } from '../models/chat-model.ts';
import {
  type Compact,
  type CompactionRequest,
  compactByAge,
  estimateTokens,
  findCompactionFault,
} from './compact.ts';
import type { ConversationEvent } from './conversation-event.ts';
import type { Memory } from './memory.ts';
import { sizeOf, withoutUsage } from './shorten-transcript.ts';

/** The share of a transcript beyond its limit that is kept. */
const KEPT_SHARE = 0.5;

/** The growth after which a transcript that stayed too long is compacted again. */
const GROWTH = 1.25;

/** Makes the transcript shorter, one compaction at a time. */
export interface Compactor {
  /** Returns whether the transcript has outgrown the limits of the conversation. */
  isDue(): boolean;
  /** Starts a compaction. Sends `compaction.settled`. */
  begin(because: CompactionReason): void;
  /** Stops the compaction: no event follows, and the transcript stays as it is. */
  stop(): void;
  /** Resolves when the next compaction has settled or was stopped, with whether the transcript is shorter. */
  next(): Promise<boolean>;
}

export function createCompactor(deps: {
  readonly memory: Memory;
  /** Default: `compactByAge`. */
  readonly compact: Compact | undefined;
  readonly maxContextTokens: number;
  readonly maxMessages: number;
  /** Returns the message that takes the place of removed messages. */
  toDigestMessage(): ChatMessage;
  emit(event: ConversationEvent): void;
  tell(fact: ConversationFact): void;
  report(error: unknown): void;
}): Compactor {
  const { memory, compact = compactByAge, maxContextTokens, emit, tell } = deps;
  let current: AbortController | null = null;
  const waiting: ((isShorter: boolean) => void)[] = [];
  /** The size after the last compaction. */
  let reached = { tokens: 0, messages: 0 };

  const settle = (isShorter: boolean) => {
    for (const resolve of waiting.splice(0)) resolve(isShorter);
  };

  const ask = async (request: CompactionRequest, inTurn: boolean) => {
    try {
      const given: unknown = await orAborted(Promise.resolve(compact(request)), request.signal);
      const fault = findCompactionFault(given, { inTurn });
      if (fault === null) return given as readonly ChatMessage[];
      emit({ type: 'compaction.failed', error: `"compact" cannot be used: ${fault}.` });
    } catch (error) {
      if (request.signal.aborted) return request.messages;
      emit({ type: 'compaction.failed', error: `"compact" failed: ${toErrorText(error)}` });
    }
    return compactByAge(request);
  };

  const run = async ({ signal }: AbortController, because: CompactionReason) => {
    const system = memory.transcript.filter(({ role }) => role === 'system');
    const messages = memory.transcript.filter((each) => each.role !== 'system' && !isDigest(each));
    const tokens = estimateTokens(messages);
    emit({ type: 'compaction.started', because, tokens });
    const isOver = because === 'limit' && tokens > maxContextTokens;
    const maxTokens = Math.floor((isOver ? maxContextTokens : tokens) * KEPT_SHARE);
    const hasTooMany = because === 'limit' && memory.transcript.length > deps.maxMessages;
    const maxMessages = hasTooMany ? Math.floor(deps.maxMessages * KEPT_SHARE) : Number.POSITIVE_INFINITY;
    const request = { messages, tokens, maxTokens, maxMessages, signal };
    const shorter = await ask(request, because !== 'request');
    if (signal.aborted) return;
    current = null;
    const isShorter = sizeOf(shorter) < sizeOf(messages) || shorter.length < messages.length;
    if (isShorter) {
      memory.replaceAll([...system, deps.toDigestMessage(), ...shorter.map(withoutUsage)]);
      const removed = Math.max(0, messages.length - shorter.length);
      emit({ type: 'transcript.shortened', removed, emptied: countEmptied(messages, shorter) });
    }
    reached = { tokens: estimateTokens(memory.transcript), messages: memory.transcript.length };
    settle(isShorter);
    tell({ type: 'compaction.settled', isWorthAsking: isShorter || because !== 'model' });
  };

  return {
    isDue: () => {
      const { transcript } = memory;
      const isBeyond = (count: number, limit: number, before: number) =>
        count > Math.max(limit, before * GROWTH);
      return (
        isBeyond(transcript.length, deps.maxMessages, reached.messages) ||
        (Number.isFinite(maxContextTokens) &&
          isBeyond(estimateTokens(transcript), maxContextTokens, reached.tokens))
      );
    },
    begin: (because) => {
      current = new AbortController();
      run(current, because).catch(deps.report);
    },
    stop: () => {
      current?.abort(new Error('The compaction was stopped.'));
      current = null;
      settle(false);
    },
    next: () => new Promise((resolve) => void waiting.push(resolve)),
  };
}

/** Digests are left out: a new one says it anew. */
function isDigest(message: ChatMessage): boolean {
  return message.role === 'notice' && message.completionIds.length === 0;
}

/** Returns the number of calls whose result has changed. */
function countEmptied(before: readonly ChatMessage[], after: readonly ChatMessage[]): number {
  const texts = new Map(before.map((each) => [each.role === 'tool' ? each.callId : '', each.text]));
  return after.filter((each) => each.role === 'tool' && texts.get(each.callId) !== each.text).length;
}
