import { z } from 'zod';
import type { Clock } from '../clock/clock.ts';
import { duration } from './duration.ts';

const port = z.int().min(1).max(65_535);
const offset = z.int().min(0);

/** What is waited for, and how long. Without a condition: for the end. */
export const waitOptions = z.strictObject({
  /** It has ended, with all of its output. */
  exit: z.boolean().default(false),
  /** A line of its output, as a person would see it, contains this text; an unfinished line counts, too. */
  text: z.string().min(1).optional(),
  /** The same for a JavaScript regular expression. One that does not compile, or takes too long, ends the wait in words. */
  pattern: z.string().min(1).optional(),
  /** It is ready, by what was declared at its start. */
  ready: z.boolean().default(false),
  /** It has printed nothing for so long, counted from now at the earliest. */
  quiet: duration.optional(),
  /** A process of its tree listens on this TCP port. Impossible while somebody else holds it. */
  port: port.optional(),
  /** Nobody on this machine listens on this TCP port any more. */
  portFree: port.optional(),
  /** The address answers 2xx or 3xx to GET; on this machine only where its tree serves it. */
  http: z
    .string()
    .refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''), {
      error: 'an address that begins with "http://" or "https://"',
    })
    .optional(),
  /**
   * The file is there and was written, or moved there, since the process was started: one that an earlier run left behind does not
   * count. A relative path counts from the process's `cwd`, not from the caller's.
   */
  file: z.string().min(1).optional(),
  /** It waits for somebody to type; see `AwaitedInput`. */
  input: z.boolean().default(false),
  /**
   * `any`, the default: one of them is enough, and one that is impossible leaves the others to be waited for. `all`: each must have held,
   * not all of them at one moment; one that is impossible ends the wait.
   */
  mode: z.enum(['any', 'all']).default('any'),
  /**
   * Where `text` and `pattern` are looked for: from the `start`, the default; in what comes from `now` on; or from an offset or
   * positions on, as a read has them.
   */
  from: z
    .union(
      [
        z.literal(['start', 'now']),
        offset,
        z.strictObject({ stdout: offset, stderr: offset, screen: offset }),
      ],
      {
        error: () =>
          '"start", "now", an offset from 0, or the positions of a read: { stdout: 0, stderr: 0, screen: 0 }',
      },
    )
    .default('start'),
  /** Longer than this nobody waits. Default: no bound. */
  timeout: duration.optional(),
  /** Aborted when nobody waits any more; the process goes on. */
  signal: z.instanceof(AbortSignal, { error: 'an AbortSignal' }).optional(),
  /** What the time of the wait follows. Default: the machine's monotonic clock. */
  clock: z.custom<Clock>((value) => typeof (value as Clock | null)?.at === 'function', 'a Clock').optional(),
});

export type WaitOptions = z.input<typeof waitOptions>;
export type WaitSettings = z.output<typeof waitOptions>;
