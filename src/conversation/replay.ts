import { applyMailboxChange, createMailboxState, type MailboxState } from '../mailbox/mailbox-state.ts';
import type { ChatMessage } from '../models/chat-model.ts';
import { type JournalEntry, journalEntry } from './journal-entry.ts';

type ToolMessage = Extract<ChatMessage, { role: 'tool' }>;

/** The state of a conversation after an entry of its journal. */
export interface Remembered {
  readonly transcript: ChatMessage[];
  readonly mailbox: MailboxState;
  /** Results of the last reply's calls that arrived before others. */
  readonly results: Map<string, ToolMessage>;
  /** A turn runs. */
  isUnfinished: boolean;
}

/** Builds a conversation's memory from its journal. Skips entries of another shape. */
export function replay(entries: readonly unknown[]): Remembered {
  const memory = createEmpty();
  for (const value of entries) {
    const parsed = journalEntry.safeParse(value);
    if (parsed.success) apply(memory, parsed.data);
  }
  return memory;
}

export function createEmpty(): Remembered {
  return {
    transcript: [],
    mailbox: createMailboxState(),
    results: new Map(),
    isUnfinished: false,
  };
}

/** Applies an entry, both when it is written and when the journal is replayed. */
export function apply(memory: Remembered, entry: JournalEntry): void {
  const { at } = entry;
  const toDated = <M extends ChatMessage>(message: M): M => (at === undefined ? message : { ...message, at });
  switch (entry.type) {
    case 'arrived':
    case 'withdrawn':
      return applyMailboxChange(memory.mailbox, entry);
    case 'delivered':
      answerOpenCalls(memory);
      applyMailboxChange(memory.mailbox, { type: 'settled', ids: entry.ids });
      append(memory.transcript, entry.messages.map(toDated));
      memory.isUnfinished = true;
      return;
    case 'recorded':
      answerOpenCalls(memory);
      memory.transcript.push(toDated(entry.message));
      // A final answer ends the turn; anything else begins with a delivery.
      if (isFinalAnswer(entry.message)) memory.isUnfinished = false;
      return;
    case 'answered':
      applyMailboxChange(memory.mailbox, { type: 'settled', ids: entry.revealed });
      if (entry.message.role === 'tool') memory.results.set(entry.message.callId, toDated(entry.message));
      return takeResults(memory);
    case 'shortened':
      memory.transcript.length = 0;
      return append(memory.transcript, entry.messages);
    case 'rested':
      memory.isUnfinished = false;
  }
}

const UNANSWERED: ToolMessage['text'] = JSON.stringify({
  ok: false,
  error:
    'The program ended before this call was answered. It is unknown whether it was carried out: check before you repeat it.',
});

/** Answers each call that has no result: the program ended meanwhile, or its journal entry cannot be read. */
export function answerOpenCalls(memory: Remembered): void {
  for (const { id: callId, name } of openCalls(memory.transcript)) {
    if (memory.results.has(callId)) continue;
    memory.results.set(callId, { role: 'tool', callId, name, text: UNANSWERED });
  }
  takeResults(memory);
}

/** Moves results into the transcript together, in the order of their calls. */
function takeResults({ transcript, results }: Remembered): void {
  const calls = openCalls(transcript);
  const ordered = calls.map(({ id }) => results.get(id));
  if (!ordered.every((result) => result !== undefined)) return;
  transcript.push(...ordered);
  results.clear();
}

/** Returns the calls without results in the transcript: those of its last message. */
export function openCalls(transcript: readonly ChatMessage[]) {
  const last = transcript.at(-1);
  return last?.role === 'assistant' ? last.toolCalls : [];
}

function isFinalAnswer(message: ChatMessage): boolean {
  return message.role === 'assistant' && message.toolCalls.length === 0;
}

/** Appends one by one: a transcript may have more messages than a call can have arguments. */
function append(transcript: ChatMessage[], messages: readonly ChatMessage[]): void {
  for (const message of messages) transcript.push(message);
}
