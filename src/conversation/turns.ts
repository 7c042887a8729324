import type { TurnEnd } from '../../machines/conversation/context.ts';
import type { ChatMessage } from '../models/chat-model.ts';
import { neutraliseMarkup } from '../tools/answer-text.ts';
import type { ConversationEvent, TurnOutcome } from './conversation-event.ts';
import type { InboxEntry } from './inbox-entry.ts';
import type { Memory } from './memory.ts';
import { toNotice } from './notice.ts';
import type { Speaking } from './speaking.ts';

/** The turns of a conversation: when one begins, what it takes in, and how it ended for those who wait. */
export interface Turns {
  begin(): void;
  /** Moves entries of the inbox to the end of the transcript. */
  deliver(ids: readonly string[]): void;
  /** Without a turn nothing happens. */
  end(end: TurnEnd): void;
  /** Resolves with the end of the turn that the message becomes part of. */
  outcomeOf(messageId: string): Promise<TurnOutcome>;
  /** Nobody's message becomes part of a turn any more. */
  settleAll(): void;
  /** How many wait for the end of a turn. */
  readonly waiting: number;
  readonly isRunning: boolean;
  readonly lastOutcome: TurnOutcome | null;
}

export function createTurns(world: {
  readonly memory: Memory;
  readonly maxSteps: number;
  readonly speaking: Pick<Speaking, 'answer' | 'failure'>;
  emit(event: ConversationEvent): void;
}): Turns {
  const { memory, maxSteps, speaking, emit } = world;
  /** Who waits, by the id of the message that was said. */
  const waiting = new Map<string, (outcome: TurnOutcome) => void>();
  let running: { readonly messageIds: string[] } | null = null;
  let lastOutcome: TurnOutcome | null = null;

  const settle = (messageId: string, outcome: TurnOutcome) => {
    waiting.get(messageId)?.(outcome);
    waiting.delete(messageId);
  };

  const toOutcome = (end: TurnEnd): TurnOutcome => {
    switch (end) {
      case 'answered':
        return { type: end, text: speaking.answer };
      case 'stepLimit':
        return { type: end, maxSteps };
      case 'failed':
        return { type: end, error: speaking.failure };
      default:
        return { type: end };
    }
  };

  return {
    begin: () => {
      running = { messageIds: [] };
      const kinds = [...memory.inbox.values()].map(({ kind }) => kind);
      const because = kinds.includes('message') ? 'message' : kinds.length > 0 ? 'notice' : 'resumption';
      emit({ type: 'turn.started', because });
    },
    deliver: (ids) => {
      const entries = ids.flatMap((id) => memory.inbox.get(id) ?? []);
      if (entries.length === 0) return;
      const messages = toMessages(entries);
      memory.deliver(ids, messages);
      running?.messageIds.push(...entries.filter(({ kind }) => kind === 'message').map(({ id }) => id));
      for (const message of messages) emit({ type: 'message.recorded', message });
    },
    end: (end) => {
      if (running === null) return;
      const { messageIds } = running;
      running = null;
      lastOutcome = toOutcome(end);
      memory.rest();
      emit({ type: 'turn.ended', outcome: lastOutcome });
      for (const messageId of messageIds) settle(messageId, lastOutcome);
    },
    outcomeOf: (messageId) => new Promise((resolve) => void waiting.set(messageId, resolve)),
    settleAll: () => {
      for (const messageId of [...waiting.keys()]) settle(messageId, { type: 'closed' });
    },
    get waiting() {
      return waiting.size;
    },
    get isRunning() {
      return running !== null;
    },
    get lastOutcome() {
      return lastOutcome;
    },
  };
}

/** Notices are one message; each message of a person stays in the words in which it was said. */
function toMessages(entries: readonly InboxEntry[]): readonly ChatMessage[] {
  const notices = entries.filter((entry) => entry.kind === 'notice');
  const notice: ChatMessage = {
    role: 'notice',
    completionIds: notices.map(({ id }) => id),
    text: toNotice(notices.map(({ part }) => part)),
  };
  const said = entries.flatMap((entry): ChatMessage[] =>
    entry.kind === 'message' ? [{ role: 'user', text: neutraliseMarkup(entry.text) }] : [],
  );
  return notices.length > 0 ? [notice, ...said] : said;
}
