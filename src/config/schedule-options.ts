import { z } from 'zod';
import { duration } from './duration.ts';
import { scheduleBounds } from './schedule-bounds.ts';

const { minEveryMs, maxSpanMs } = scheduleBounds;

const MAX_MESSAGE_BYTES = 64 * 1024;

const message = z
  .string()
  .refine((text) => text.trim() !== '', { error: () => 'a value that is not empty' })
  .refine((text) => Buffer.byteLength(text) <= MAX_MESSAGE_BYTES, {
    error: () => `at most ${MAX_MESSAGE_BYTES} bytes`,
  });

const span = duration.refine((ms) => ms <= maxSpanMs, { error: () => 'a duration of at most 10 years' });

export const scheduleOptions = z
  .strictObject({
    owner: z.string().min(1).optional(),
    message,
    after: span.optional(),
    every: span
      .refine((ms) => ms >= minEveryMs, { error: () => 'a duration of at least 1 s' })
      // Rounded as it is stored.
      .transform(Math.round)
      .optional(),
    process: z.string().min(1).optional(),
  })
  .superRefine(({ after, every }, context) => {
    if ((after === undefined) !== (every === undefined)) return;
    const expected = 'either "after" (once) or "every" (repeated)';
    context.addIssue({ code: 'custom', path: [after === undefined ? 'after' : 'every'], message: expected });
  });
