import type { ChatMessage } from '../models/chat-model.ts';
import type { InboxEntry } from './inbox-entry.ts';
import { type JournalEntry, journalEntry } from './journal-entry.ts';
import { findEarlierDue, replaceDue } from './waiting-due.ts';

type ToolMessage = Extract<ChatMessage, { role: 'tool' }>;

/** What a conversation was when it wrote its last entry. */
export interface Remembered {
  readonly transcript: ChatMessage[];
  /** What waits for the agent, oldest first. */
  readonly inbox: Map<string, InboxEntry>;
  /** What was told or read of: it is never taken in again. */
  readonly settled: Set<string>;
  /** Results of the last reply's calls that are in while others are not. */
  readonly results: Map<string, ToolMessage>;
  /** A turn was under way. */
  isUnfinished: boolean;
}

/** Builds a conversation's memory from its journal. Entries of another shape are passed over. */
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
    inbox: new Map(),
    settled: new Set(),
    results: new Map(),
    isUnfinished: false,
  };
}

/** What an entry means: the same at the moment it is written, and whenever it is read again. */
export function apply(memory: Remembered, entry: JournalEntry): void {
  switch (entry.type) {
    case 'arrived':
      return takeIn(memory, entry.entry);
    case 'withdrawn':
      return settle(memory, entry.ids);
    case 'delivered':
      answerOpenCalls(memory);
      settle(memory, entry.ids);
      append(memory.transcript, entry.messages);
      memory.isUnfinished = true;
      return;
    case 'recorded':
      answerOpenCalls(memory);
      memory.transcript.push(entry.message);
      // A final answer: what else there is to say comes as a delivery.
      if (isFinalAnswer(entry.message)) memory.isUnfinished = false;
      return;
    case 'answered':
      settle(memory, entry.revealed);
      if (entry.message.role === 'tool') memory.results.set(entry.message.callId, entry.message);
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
    'The program ended before this call was answered. Whether it was carried out is not known: look before you repeat it.',
});

/** Gives each call without a result that one: a program ended meanwhile, or its entry in the journal cannot be read. */
export function answerOpenCalls(memory: Remembered): void {
  for (const { id: callId, name } of openCalls(memory.transcript)) {
    if (memory.results.has(callId)) continue;
    memory.results.set(callId, { role: 'tool', callId, name, text: UNANSWERED });
  }
  takeResults(memory);
}

/** Results become part of the transcript together, in the order of their calls. */
function takeResults({ transcript, results }: Remembered): void {
  const calls = openCalls(transcript);
  const ordered = calls.map(({ id }) => results.get(id));
  if (!ordered.every((result) => result !== undefined)) return;
  transcript.push(...ordered);
  results.clear();
}

/** The calls whose results are not in the transcript. They are the last thing in it. */
export function openCalls(transcript: readonly ChatMessage[]) {
  const last = transcript.at(-1);
  return last?.role === 'assistant' ? last.toolCalls : [];
}

function isFinalAnswer(message: ChatMessage): boolean {
  return message.role === 'assistant' && message.toolCalls.length === 0;
}

/** One by one: a transcript may have more messages than a call can have arguments. */
function append(transcript: ChatMessage[], messages: readonly ChatMessage[]): void {
  for (const message of messages) transcript.push(message);
}

function takeIn({ inbox, settled }: Remembered, entry: InboxEntry): void {
  if (settled.has(entry.id)) return;
  const earlier = findEarlierDue(inbox, entry);
  if (earlier !== null) settled.add(earlier.id);
  replaceDue(inbox, entry);
}

function settle({ inbox, settled }: Remembered, ids: readonly string[]): void {
  for (const id of ids) {
    inbox.delete(id);
    settled.add(id);
  }
}
