import { z } from 'zod';
import type { MailboxEntry } from '../mailbox/mailbox-entry.ts';
import type { ChatMessage } from '../models/chat-model.ts';

const text = z.string();
const ids = z.array(z.string());
const call = z.looseObject({ id: z.string(), name: z.string(), argumentsText: z.string() });

/** Fields that a later version adds are kept. */
export const chatMessage = z.discriminatedUnion('role', [
  z.looseObject({ role: z.enum(['system', 'user']), text }),
  z.looseObject({ role: z.literal('notice'), text, completionIds: ids }),
  z.looseObject({ role: z.literal('assistant'), text, toolCalls: z.array(call) }),
  z.looseObject({ role: z.literal('tool'), text, callId: z.string(), name: z.string() }),
]) as z.ZodType<ChatMessage>;

const nullableText = text.nullable();
const running = {
  id: text,
  label: nullableText,
  runtimeMs: z.number(),
  outputBytes: z.number(),
  command: text,
};
const watched = { id: text, label: nullableText, command: text };
const noticePart = z.discriminatedUnion('type', [
  z.looseObject({
    ...running,
    type: z.literal('ended'),
    status: z.enum(['completed', 'failed', 'killed', 'timed_out', 'lost']),
    code: z.number().nullable(),
    signal: nullableText,
    end: text,
    leftovers: z.array(z.number()),
    suspects: z.array(z.number()).optional(),
    ports: z.array(z.number()),
    logFile: nullableText,
    unreadBytes: z.number(),
    tail: text,
    answer: nullableText,
  }),
  z.looseObject({
    ...running,
    type: z.enum(['silent', 'elapsed']),
    state: z.object({ now: nullableText, prompt: nullableText }).optional(),
  }),
  z.looseObject({
    ...watched,
    type: z.literal('quiet'),
    quietMs: z.number(),
    isScreen: z.boolean(),
    lines: ids,
  }),
  z.looseObject({
    ...watched,
    type: z.literal('matched'),
    pattern: text,
    matches: z.number(),
    lines: ids,
  }),
  z.looseObject({ ...watched, type: z.literal('unwatched'), why: text }),
  z.looseObject({
    type: z.literal('due'),
    scheduleId: text,
    message: text,
    everyMs: z.number().nullable(),
    processId: nullableText,
    missed: z.number(),
  }),
  z.looseObject({ type: z.literal('told'), source: text, text }),
]);

const mailboxEntry = z.discriminatedUnion('kind', [
  z.looseObject({ kind: z.literal('message'), id: z.string(), attention: z.literal('turn'), text }),
  z.looseObject({
    kind: z.literal('notice'),
    id: z.string(),
    attention: z.enum(['turn', 'context']),
    part: noticePart,
  }),
]) as unknown as z.ZodType<MailboxEntry>;

/** Time of the step, in milliseconds since the epoch. Absent in older journals. */
const dated = { at: z.number().optional() };

/** Step of a conversation, written before it takes effect: it happened whole or not at all. */
export const journalEntry = z.discriminatedUnion('type', [
  /** An entry arrived in the mailbox. */
  z.object({ ...dated, type: z.literal('arrived'), entry: mailboxEntry }),
  /** Entries left the mailbox unsaid. */
  z.object({ ...dated, type: z.literal('withdrawn'), ids }),
  /** Entries left the mailbox as these messages. */
  z.object({ ...dated, type: z.literal('delivered'), ids, messages: z.array(chatMessage) }),
  z.object({ ...dated, type: z.literal('recorded'), message: chatMessage }),
  /** The result of a call, with the ids of the notices that it replaces. */
  z.object({ ...dated, type: z.literal('answered'), message: chatMessage, revealed: ids }),
  /** The messages replaced the transcript. */
  z.object({ ...dated, type: z.literal('shortened'), messages: z.array(chatMessage) }),
  /** The turn ended. */
  z.object({ ...dated, type: z.literal('rested') }),
]);

export type JournalEntry = z.output<typeof journalEntry>;
