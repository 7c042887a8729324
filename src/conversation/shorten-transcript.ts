import { lastLines } from '../mailbox/last-lines.ts';
import type { ChatMessage } from '../models/chat-model.ts';

/** Number of steps at the end that the agent works with: they are removed last. */
const KEPT_STEPS = 3;

/** Bytes kept of the output of a recent call, from its beginning and its end. */
const MAX_KEPT_BYTES = 2_000;

const REMOVED = 'The output was removed to make room.';

/** Limits of a transcript. */
export interface TranscriptBounds {
  /** UTF-8 bytes of all texts and arguments. */
  readonly maxBytes: number;
  readonly maxMessages: number;
}

export interface Compaction {
  readonly messages: readonly ChatMessage[];
  /** Number of removed messages. */
  readonly removed: number;
  /** Number of calls whose output was removed. */
  readonly emptied: number;
}

/** Messages that are kept or removed together: one message, or a reply with the results of its calls. */
interface Block {
  readonly kind: 'words' | 'notice' | 'step';
  readonly messages: readonly ChatMessage[];
}

/** Position of a block in the transcript. */
interface Place {
  readonly isOld: boolean;
  readonly isLast: boolean;
  /** The first or the last message to the agent: its task. */
  readonly isTask: boolean;
}

interface Pass {
  takes(block: Block, place: Place): boolean;
  toLess(messages: readonly ChatMessage[]): readonly ChatMessage[];
}

/** The passes in order: the least useful messages are shortened first. The task and the last block are never removed. */
const PASSES: readonly Pass[] = [
  { takes: ({ kind }, { isOld }) => isOld && kind === 'step', toLess: (messages) => messages.map(empty) },
  { takes: ({ kind }, { isOld }) => isOld && kind === 'step', toLess: () => [] },
  { takes: ({ kind }) => kind === 'step', toLess: (messages) => messages.map(cut) },
  { takes: ({ kind }, { isLast }) => kind === 'step' && !isLast, toLess: (messages) => messages.map(empty) },
  { takes: ({ kind }, { isOld }) => isOld && kind === 'notice', toLess: () => [] },
  { takes: ({ kind }, { isOld, isTask }) => isOld && kind === 'words' && !isTask, toLess: () => [] },
  { takes: (_, { isLast, isTask }) => !isLast && !isTask, toLess: () => [] },
  { takes: ({ kind }) => kind === 'step', toLess: (messages) => messages.map(empty) },
];

/**
 * Returns the newest messages of a transcript behind its system prompt and the digest; `null` when there is nothing to remove. A reply
 * is kept with the results of its calls, or removed with them.
 */
export function shortenTranscript(
  transcript: readonly ChatMessage[],
  { keepMessages, toDigestMessage }: { keepMessages: number; toDigestMessage: () => ChatMessage },
): { readonly messages: readonly ChatMessage[]; readonly removed: number } | null {
  const system = transcript[0]?.role === 'system' ? transcript.slice(0, 1) : [];
  const rest = transcript.slice(system.length);
  const wanted = Math.max(0, rest.length - keepMessages);
  const offset = rest.slice(wanted).findIndex(({ role }) => role !== 'tool');
  const removed = offset === -1 ? rest.length : wanted + offset;
  if (removed === 0) return null;
  const kept = rest.slice(removed).map(withoutUsage);
  return { messages: [...system, toDigestMessage(), ...kept], removed };
}

/**
 * Makes a transcript fit, without its system prompt: old tool output goes first, then old steps; the task, the notices and the last
 * steps stay as long as they can. Calls and their results stay together. What cannot be made to fit is as short as it gets; `null` when nothing
 * could be taken away.
 */
export function compactTranscript(
  messages: readonly ChatMessage[],
  { maxBytes, maxMessages }: TranscriptBounds,
): Compaction | null {
  const blocks = toBlocks(messages);
  const places = toPlaces(blocks);
  let bytes = sizeOf(messages);
  let count = messages.length;
  const changed = new Set<ChatMessage>();
  for (const { takes, toLess } of PASSES) {
    for (const [index, block] of blocks.entries()) {
      if (bytes <= maxBytes && count <= maxMessages) break;
      const place = places[index];
      if (place === undefined || !takes(block, place)) continue;
      const less = toLess(block.messages);
      for (const message of less) if (!block.messages.includes(message)) changed.add(message);
      bytes += sizeOf(less) - sizeOf(block.messages);
      count += less.length - block.messages.length;
      blocks[index] = { ...block, messages: less };
    }
  }
  const kept = blocks.flatMap((block) => block.messages);
  const removed = messages.length - kept.length;
  const emptied = kept.filter((message) => changed.has(message)).length;
  return removed + emptied === 0 ? null : { messages: kept, removed, emptied };
}

/** A count of tokens misleads where some of what it counted is gone. */
export function withoutUsage(message: ChatMessage): ChatMessage {
  if (message.role !== 'assistant') return message;
  const { usage: _, ...rest } = message;
  return rest;
}

/** UTF-8 bytes of all that is said in them, and of what providers want back. */
export function sizeOf(messages: readonly ChatMessage[]): number {
  return messages.reduce((sum, message) => sum + sizeOfMessage(message), 0);
}

function sizeOfMessage(message: ChatMessage): number {
  const text = Buffer.byteLength(message.text);
  if (message.role !== 'assistant') return text;
  const calls = message.toolCalls.map(({ name, argumentsText }) => Buffer.byteLength(name + argumentsText));
  const data = message.providerData === undefined ? '' : JSON.stringify(message.providerData);
  return calls.reduce((sum, bytes) => sum + bytes, text + Buffer.byteLength(data));
}

function toBlocks(messages: readonly ChatMessage[]): Block[] {
  const blocks: Block[] = [];
  for (const message of messages) {
    const last = blocks.at(-1);
    if (message.role === 'tool' && last?.kind === 'step')
      blocks[blocks.length - 1] = { ...last, messages: [...last.messages, message] };
    else if (message.role === 'user') blocks.push({ kind: 'words', messages: [message] });
    else if (message.role === 'notice') blocks.push({ kind: 'notice', messages: [message] });
    else blocks.push({ kind: 'step', messages: [message] });
  }
  return blocks;
}

function toPlaces(blocks: readonly Block[]): readonly Place[] {
  const placesOf = (kind: Block['kind']) =>
    blocks.flatMap((block, place) => (block.kind === kind ? [place] : []));
  const [steps, words] = [placesOf('step'), placesOf('words')];
  const firstRecent = steps.at(-KEPT_STEPS) ?? 0;
  return blocks.map((_, place) => ({
    isOld: place < firstRecent,
    isLast: place === blocks.length - 1,
    isTask: place === words[0] || place === words.at(-1),
  }));
}

/** Returns a result without its output; whether the call succeeded stays. */
function empty(message: ChatMessage): ChatMessage {
  return withLess(message, toAnswer(message.text, REMOVED));
}

/** Returns a result with the beginning and the end of its output. */
function cut(message: ChatMessage): ChatMessage {
  const { text } = message;
  if (Buffer.byteLength(text) <= 2 * MAX_KEPT_BYTES) return message;
  const beginning = text.slice(0, MAX_KEPT_BYTES);
  const end = lastLines(text, MAX_KEPT_BYTES);
  return withLess(
    message,
    toAnswer(text, `${beginning}\n[… The middle was removed to make room. …]\n${end}`),
  );
}

function toAnswer(before: string, said: string): string {
  const isFailure = before.startsWith('{"ok":false');
  return JSON.stringify(isFailure ? { ok: false, error: said } : { ok: true, data: said });
}

function withLess(message: ChatMessage, text: string): ChatMessage {
  if (message.role !== 'tool' || Buffer.byteLength(text) >= Buffer.byteLength(message.text)) return message;
  return { ...message, text };
}
