import { z } from 'zod';
import { abortSignal } from './abort-signal.ts';

const count = z.int().min(0);

/** Options of an iteration over output; the type and its documentation are in `src/output/follow-log.ts`. */
export const iterationOptions = z.strictObject({
  from: count.optional(),
  stream: z.enum(['stdout', 'stderr', 'screen']).optional(),
  signal: abortSignal.optional(),
});

/** Options of `ProcessHandle.output`. */
export const outputIterationOptions = iterationOptions.extend({ lossless: z.boolean().default(false) });

/** Options of a read of output; the type and its documentation are in `src/output/output-read.ts`. */
export const readOptions = z.strictObject({
  since: z
    .union([count, z.literal('last'), z.strictObject({ stdout: count, stderr: count, screen: count })], {
      error: () => 'an offset, the positions of a read, or "last"',
    })
    .optional(),
  stream: z.enum(['stdout', 'stderr', 'screen', 'both']).optional(),
  tail: count.optional(),
  lines: count.optional(),
  offset: count.optional(),
  limit: count.optional(),
  grep: z.string().optional(),
  ignoreCase: z.boolean().optional(),
  context: count.optional(),
  format: z.enum(['plain', 'raw']).optional(),
  maxBytes: z.int().min(1).optional(),
});
