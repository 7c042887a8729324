import { z } from 'zod';
import { duration } from './duration.ts';
import { hasFunctions, isFunction } from './has-functions.ts';

const count = z.int();
/** Options of a conversation, checked for callers without types. */
export const conversationOptions = z.strictObject({
  supervisor: z.custom(hasFunctions('start', 'list', 'kill'), 'a Supervisor'),
  model: z.custom(hasFunctions('stream'), 'a ChatModel with "name" and "stream"'),
  id: z
    .string()
    .regex(/^[\w-]{1,64}$/, '1 to 64 letters, digits, "_" and "-"')
    .optional(),
  agent: z.string().min(1).optional(),
  tools: z.array(z.custom(hasFunctions('prepare'), 'a Tool made by defineTool')).optional(),
  systemPrompt: z.string().optional(),
  policy: z.unknown().optional(),
  ask: z.custom(isFunction, 'a function').optional(),
  /** Maximum number of replies per turn. Default 50. */
  maxSteps: count.min(1).default(50),
  /** Maximum number of concurrent calls of one step. Default 5. */
  maxParallelTools: count.min(1).default(5),
  retry: z
    .strictObject({
      /** Maximum number of retries after a failed request. Default 3. */
      maxRetries: count.min(0).default(3),
      /** The first pause; it doubles, up to 30 s. Default 1 s. */
      minBackoff: duration.default(1_000),
      /** Maximum number of retries in a turn that no person waits for. Default 20: about an hour. */
      maxNoticeRetries: count.min(0).default(20),
    })
    .prefault({}),
  attention: z.custom(isFunction, 'a function').optional(),
  journal: z.custom(hasFunctions('read', 'append', 'close'), 'a Journal').optional(),
  parent: z.string().min(1).optional(),
  maxMessages: count.min(10).optional(),
  maxContextTokens: count.min(1_000).optional(),
  compact: z.custom(isFunction, 'a function').optional(),
  clock: z.custom(hasFunctions('nowMs', 'at'), 'a Clock').optional(),
  onEvent: z.custom(isFunction, 'a function').optional(),
});

export type ConversationSettings = z.output<typeof conversationOptions>;

export const saying = z.strictObject({
  text: z.string().refine((text) => text.trim() !== '', 'a value that is not empty'),
});

export const notification = z.strictObject({
  id: z.string().min(1).max(256),
  source: z.string().min(1),
  text: z.string(),
  attention: z.enum(['turn', 'context', 'ignore']).default('turn'),
});

export const finishOptions = z.strictObject({
  background: z.enum(['wait', 'kill']),
  /** Default 60 s. */
  wait: duration.default(60_000),
});

export const shortenOptions = z.strictObject({
  keepMessages: count.min(0),
  summary: z.string().optional(),
});
