import { z } from 'zod';
import { duration } from './duration.ts';

const MIN_EVERY_MS = 1_000;
const MAX_MESSAGE_BYTES = 64 * 1024;

const message = z
  .string()
  .refine((text) => text.trim() !== '', { error: () => 'something that is not empty' })
  .refine((text) => Buffer.byteLength(text) <= MAX_MESSAGE_BYTES, {
    error: () => `at most ${MAX_MESSAGE_BYTES} bytes`,
  });

export const scheduleOptions = z
  .strictObject({
    owner: z.string().min(1).optional(),
    message,
    after: duration.optional(),
    every: duration
      .refine((ms) => ms >= MIN_EVERY_MS, { error: () => 'a duration of at least 1 s' })
      .optional(),
    process: z.string().min(1).optional(),
  })
  .superRefine(({ after, every }, context) => {
    if ((after === undefined) !== (every === undefined)) return;
    const expected = 'either "after" (once) or "every" (again and again)';
    context.addIssue({ code: 'custom', path: [after === undefined ? 'after' : 'every'], message: expected });
  });
