import type { Cancel, Clock } from '../clock/clock.ts';
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

/** A full disk has room again when somebody has cleared it. */
const retryAfterMs = 5_000;

/**
 * Continues with what the journal holds; calls that were under way are answered with that. A journal that cannot be written is reported
 * once, and the memory works without it. What could not be written waits, and is written in its order before anything newer: with the next
 * entry, every few seconds, and at `close`.
 */
export function createMemory({
  journal,
  clock,
  onFailure,
  onRecovery,
}: {
  journal: Journal | null;
  clock: Clock;
  onFailure: (error: string) => void;
  /** All that could not be written is in the journal now. */
  onRecovery: () => void;
}): Memory {
  const state = journal === null ? createEmpty() : replay(journal.read());
  const unwritten: JournalEntry[] = [];
  let isFailing = false;
  let cancelRetry: Cancel = () => {};

  const write = (entry: JournalEntry) => {
    if (journal !== null) {
      unwritten.push(entry);
      writeWaiting(journal);
    }
    apply(state, entry);
  };

  const writeWaiting = (to: Journal) => {
    cancelRetry();
    try {
      for (let entry = unwritten[0]; entry !== undefined; entry = unwritten[0]) {
        to.append(entry);
        unwritten.shift();
      }
    } catch (error) {
      cancelRetry = clock.at(clock.nowMs() + retryAfterMs, () => writeWaiting(to), { idle: true });
      if (!isFailing) onFailure(toErrorText(error));
      isFailing = true;
      return;
    }
    if (isFailing) onRecovery();
    isFailing = false;
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
    close: () => {
      if (journal !== null && unwritten.length > 0) writeWaiting(journal);
      cancelRetry();
      journal?.close();
    },
  };
}
