import { toErrorText } from '../config/error-text.ts';
import type { ChatMessage } from '../models/chat-model.ts';
import type { Journal } from '../store/journal.ts';
import type { InboxEntry } from './inbox-entry.ts';
import type { JournalEntry } from './journal-entry.ts';
import { answerOpenCalls, apply, createEmpty, replay } from './replay.ts';

type ToolMessage = Extract<ChatMessage, { role: 'tool' }>;

/** All that a conversation knows. Whatever changes is in the journal before it counts. */
export interface Memory {
  readonly transcript: readonly ChatMessage[];
  /** What waits for the agent, oldest first. */
  readonly inbox: ReadonlyMap<string, InboxEntry>;
  readonly isUnfinished: boolean;
  /** `false` when that id is known: it waits, or was told, or read of. Of a schedule the newest takes the place of what waits. */
  takeIn(entry: InboxEntry): boolean;
  /** What is meant leaves the inbox unsaid, for ever. Their ids. */
  withdraw(isMeant: (entry: InboxEntry) => boolean): readonly string[];
  /** Moves entries out of the inbox, and what they say to the end of the transcript. */
  deliver(ids: readonly string[], messages: readonly ChatMessage[]): void;
  record(message: ChatMessage): void;
  /** Keeps a call's result. The ids of the entries that no longer wait because of it. */
  answer(message: ToolMessage, revealed: readonly string[]): readonly string[];
  /** Makes these messages the whole transcript. */
  replaceAll(messages: readonly ChatMessage[]): void;
  /** The turn is over. */
  rest(): void;
  close(): void;
}

/**
 * Goes on with what the journal holds; calls that were under way are answered with that. A journal that cannot be
 * written is reported, and the memory goes on without it.
 */
export function createMemory({
  journal,
  onFailure,
}: {
  journal: Journal | null;
  onFailure: (error: string) => void;
}): Memory {
  const state = journal === null ? createEmpty() : replay(journal.read());

  const write = (entry: JournalEntry) => {
    try {
      journal?.append(entry);
    } catch (error) {
      onFailure(toErrorText(error));
    }
    apply(state, entry);
  };

  // Not written: whoever reads the same entries again comes to the same.
  answerOpenCalls(state);

  return {
    transcript: state.transcript,
    inbox: state.inbox,
    get isUnfinished() {
      return state.isUnfinished;
    },
    takeIn: (entry) => {
      if (state.inbox.has(entry.id) || state.settled.has(entry.id)) return false;
      write({ type: 'arrived', entry });
      return true;
    },
    withdraw: (isMeant) => {
      const ids = [...state.inbox.values()].filter(isMeant).map(({ id }) => id);
      if (ids.length > 0) write({ type: 'withdrawn', ids });
      return ids;
    },
    deliver: (ids, messages) => write({ type: 'delivered', ids: [...ids], messages: [...messages] }),
    record: (message) => write({ type: 'recorded', message }),
    answer: (message, revealed) => {
      const waiting = revealed.filter((id) => state.inbox.has(id));
      write({ type: 'answered', message, revealed: [...revealed] });
      return waiting;
    },
    replaceAll: (messages) => write({ type: 'shortened', messages: [...messages] }),
    rest: () => write({ type: 'rested' }),
    close: () => journal?.close(),
  };
}
