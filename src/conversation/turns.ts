import type { TurnEnd } from '../../machines/conversation/context.ts';
import type { MailboxEntry } from '../mailbox/mailbox-entry.ts';
import { toNotice } from '../mailbox/notice.ts';
import type { ChatMessage } from '../models/chat-model.ts';
import { neutraliseMarkup } from '../tools/answer-text.ts';
import type { ConversationEvent, TurnOutcome } from './conversation-event.ts';
import type { Memory } from './memory.ts';
import type { ModelRunner } from './model-runner.ts';

/** The turns of a conversation: their beginning, what they deliver, and their outcome for callers that wait. */
export interface Turns {
  begin(): void;
  /** Moves entries of the mailbox to the end of the transcript. */
  deliver(ids: readonly string[]): void;
  /** Does nothing where no turn runs. */
  end(end: TurnEnd): void;
  /** Resolves with the outcome of the turn that the message becomes part of. */
  outcomeOf(messageId: string): Promise<TurnOutcome>;
  /** Settles all callers that still wait: their messages become part of no turn. */
  settleAll(): void;
  /** The number of callers that wait for the end of a turn. */
  readonly waiting: number;
  readonly isRunning: boolean;
  readonly lastOutcome: TurnOutcome | null;
}

export function createTurns(deps: {
  readonly memory: Memory;
  readonly maxSteps: number;
  readonly modelRunner: Pick<ModelRunner, 'answer' | 'failure'>;
  /** Called once these entries are in the transcript. */
  onDelivered(ids: readonly string[]): void;
  emit(event: ConversationEvent): void;
}): Turns {
  const { memory, maxSteps, modelRunner, emit } = deps;
  /** Callers that wait, by the id of their message. */
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
        return { type: end, text: modelRunner.answer };
      case 'stepLimit':
        return { type: end, maxSteps };
      case 'failed':
        return { type: end, error: modelRunner.failure };
      default:
        return { type: end };
    }
  };

  return {
    begin: () => {
      running = { messageIds: [] };
      const kinds = [...memory.mailbox.state.waiting.values()].map(({ kind }) => kind);
      const because = kinds.includes('message') ? 'message' : kinds.length > 0 ? 'notice' : 'resumption';
      emit({ type: 'turn.started', because });
    },
    deliver: (ids) => {
      const { waiting, dropped } = memory.mailbox.state;
      const entries = ids.flatMap((id) => waiting.get(id) ?? []);
      if (entries.length === 0) return;
      const messages = toMessages(entries, dropped);
      memory.deliver(ids, messages);
      deps.onDelivered(ids);
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

/** Returns one message for all notices, and each message of a person as it was said. */
function toMessages(entries: readonly MailboxEntry[], dropped: number): readonly ChatMessage[] {
  const notices = entries.filter((entry) => entry.kind === 'notice');
  const notice: ChatMessage = {
    role: 'notice',
    completionIds: notices.map(({ id }) => id),
    text: toNotice(
      notices.map(({ part }) => part),
      { dropped },
    ),
  };
  const said = entries.flatMap((entry): ChatMessage[] =>
    entry.kind === 'message' ? [{ role: 'user', text: neutraliseMarkup(entry.text) }] : [],
  );
  return notices.length > 0 ? [notice, ...said] : said;
}
