import { z } from 'zod';
import type { ChatMessage } from '../models/chat-model.ts';
import type { InboxEntry } from './inbox-entry.ts';

const text = z.string();
const ids = z.array(z.string());
const call = z.looseObject({ id: z.string(), name: z.string(), argumentsText: z.string() });

/** What a later version adds is kept. */
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

const inboxEntry = z.discriminatedUnion('kind', [
  z.looseObject({ kind: z.literal('message'), id: z.string(), attention: z.literal('turn'), text }),
  z.looseObject({
    kind: z.literal('notice'),
    id: z.string(),
    attention: z.enum(['turn', 'context']),
    part: noticePart,
  }),
]) as unknown as z.ZodType<InboxEntry>;

/** What a conversation writes down, each before it counts. One entry is one step: it happened whole or not at all. */
export const journalEntry = z.discriminatedUnion('type', [
  /** Something came into the inbox. */
  z.object({ type: z.literal('arrived'), entry: inboxEntry }),
  /** It left the inbox unsaid: it was void. */
  z.object({ type: z.literal('withdrawn'), ids }),
  /** It left the inbox as these messages. */
  z.object({ type: z.literal('delivered'), ids, messages: z.array(chatMessage) }),
  z.object({ type: z.literal('recorded'), message: chatMessage }),
  /** A call's result; `revealed`: the notices that it makes superfluous. */
  z.object({ type: z.literal('answered'), message: chatMessage, revealed: ids }),
  /** These messages are the whole transcript now. */
  z.object({ type: z.literal('shortened'), messages: z.array(chatMessage) }),
  /** The turn is over, however it ended. */
  z.object({ type: z.literal('rested') }),
]);

export type JournalEntry = z.output<typeof journalEntry>;
