import { z } from 'zod';
import { duration } from './duration.ts';
import { toErrorText } from './error-text.ts';

/** Shorter silences occur between any two lines. */
const MIN_QUIET_MS = 100;
const MAX_PATTERN_LENGTH = 4_000;

/** Compiled and used once, because an expression that is too large fails only at its first use. */
const expression = z
  .string()
  .min(1)
  .max(MAX_PATTERN_LENGTH, { error: () => `at most ${MAX_PATTERN_LENGTH} characters` })
  .superRefine((pattern, context) => {
    try {
      new RegExp(pattern).test('');
    } catch (error) {
      context.addIssue({ code: 'custom', message: `a JavaScript regular expression (${toReason(error)})` });
    }
  });

/** Reasons for the end of a watch; see `WatchOptions.onOver`. */
export type WatchOver = 'ended' | 'released' | 'cancelled' | 'replaced' | 'failed';

export const watchOptions = z
  .strictObject({
    owner: z.string().min(1).optional(),
    quiet: duration
      .refine((ms) => ms >= MIN_QUIET_MS, { error: () => `a duration of at least ${MIN_QUIET_MS} ms` })
      .optional(),
    pattern: expression.optional(),
    kept: z.boolean().optional(),
    onOver: z
      .custom<(how: WatchOver) => void>((value) => typeof value === 'function', 'a function')
      .optional(),
  })
  .superRefine(({ quiet, pattern }, context) => {
    if (quiet === undefined || pattern === undefined) return;
    const message = 'no value beside "pattern": a watch reports either silence or lines';
    context.addIssue({ code: 'custom', path: ['quiet'], message });
  });

/** The process of a call. */
export const watchCall = z.object({
  id: z.custom<string>((value) => typeof value === 'string', 'the id of a process, such as "handle.id"'),
});

/** The owner of watches. */
export const watchOwner = z.strictObject({ owner: z.string().min(1).optional() });

/** Filters watches or schedules. */
export const notificationFilter = z.strictObject({
  owner: z.string().optional(),
  process: z.string().optional(),
});

export type NotificationFilter = z.output<typeof notificationFilter>;

/** Cuts off the pattern that V8 repeats before the reason. */
function toReason(error: unknown): string {
  const text = toErrorText(error);
  return text.slice(text.lastIndexOf(': ') + 1).trim();
}
