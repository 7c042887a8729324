import { z } from 'zod';
import { hasFunctions, isFunction } from './has-functions.ts';

/** Options of a tool host, checked for callers without types. */
export const toolHostOptions = z.strictObject({
  supervisor: z.custom(hasFunctions('start', 'list', 'mailbox'), 'a Supervisor'),
  owner: z.string().min(1).optional(),
  tools: z.array(z.custom(hasFunctions('prepare'), 'a Tool made by defineTool')).optional(),
  policy: z.unknown().optional(),
  ask: z.custom(isFunction, 'a function').nullish(),
  grants: z.custom(hasFunctions('cover', 'add'), 'Grants made by createGrants').optional(),
  agent: z.string().min(1).optional(),
  notices: z.enum(['wake', 'next-step', 'next-answer', 'none']).default('next-step'),
  mailbox: z.custom((value) => typeof value === 'object' && value !== null, 'a MailboxReader').optional(),
  clock: z.custom(hasFunctions('nowMs', 'at'), 'a Clock').optional(),
});
