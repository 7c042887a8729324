import type { Cancel, Clock } from '../clock/clock.ts';
import { toErrorText } from '../config/error-text.ts';
import type { MailboxStore } from '../mailbox/mailbox.ts';
import { applyMailboxChange } from '../mailbox/mailbox-state.ts';
import type { ChatMessage } from '../models/chat-model.ts';
import type { Journal } from '../store/journal.ts';
import type { JournalEntry } from './journal-entry.ts';
import { answerOpenCalls, apply, createEmpty, replay } from './replay.ts';

type ToolMessage = Extract<ChatMessage, { role: 'tool' }>;

/** The transcript of a conversation and its mailbox. Every change is in the journal before it takes effect. */
export interface Memory {
  readonly transcript: readonly ChatMessage[];
  /** Keeps the mailbox in the same journal, so that an entry leaves it in the step that puts it into the transcript. */
  readonly mailbox: MailboxStore;
  readonly isUnfinished: boolean;
  /** Moves entries out of the mailbox, and what they say to the end of the transcript. */
  deliver(ids: readonly string[], messages: readonly ChatMessage[]): void;
  record(message: ChatMessage): void;
  /** Records the result of a call. Returns the ids of entries that leave the mailbox because of it. */
  answer(message: ToolMessage, revealed: readonly string[]): readonly string[];
  /** Replaces the transcript. */
  replaceAll(messages: readonly ChatMessage[]): void;
  /** Records the end of the turn. */
  rest(): void;
  close(): void;
}

/** The pause before entries that could not be written are tried again. */
const retryAfterMs = 5_000;

/**
 * Continues with what the journal holds; calls without a result are answered with an error that says so. A journal that cannot be written is
 * reported once, and the memory works without it. Entries that could not be written are written in order before any newer one: with the
 * next entry, every few seconds, and at `close`.
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
  /** Called when all entries that could not be written are in the journal. */
  onRecovery: () => void;
}): Memory {
  const state = journal === null ? createEmpty() : replay(journal.read());
  const unwritten: JournalEntry[] = [];
  let isFailing = false;
  let cancelRetry: Cancel = () => {};

  const write = (step: JournalEntry) => {
    const entry = { at: clock.epochMs(), ...step };
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

  // Not written: replaying the same entries gives the same answers.
  answerOpenCalls(state);

  return {
    transcript: state.transcript,
    mailbox: {
      state: state.mailbox,
      remembersAll: journal !== null,
      commit: (change) => {
        // The journal has delivered entries already, in one entry with their messages.
        if (change.type === 'settled') applyMailboxChange(state.mailbox, change);
        else if (change.type === 'withdrawn') write({ type: 'withdrawn', ids: [...change.ids] });
        else write(change);
      },
    },
    get isUnfinished() {
      return state.isUnfinished;
    },
    deliver: (ids, messages) => write({ type: 'delivered', ids: [...ids], messages: [...messages] }),
    record: (message) => write({ type: 'recorded', message }),
    answer: (message, revealed) => {
      const waiting = revealed.filter((id) => state.mailbox.waiting.has(id));
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
