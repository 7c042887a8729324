import { z } from 'zod';
import type { Clock } from '../clock/clock.ts';
import { duration } from './duration.ts';

const port = z.int().min(1).max(65_535);
const offset = z.int().min(0);

/** Conditions and timeout of a wait. Without a condition it waits for the end. */
export const waitOptions = z.strictObject({
  /** The process has ended, with all of its output. */
  exit: z.boolean().default(false),
  /** A rendered line of output contains this text; unfinished lines count. */
  text: z.string().min(1).optional(),
  /**
   * A rendered line of output matches this JavaScript regular expression. An invalid or slow expression ends
   * the wait with a reason.
   */
  pattern: z.string().min(1).optional(),
  /** The process is ready as declared at its start. */
  ready: z.boolean().default(false),
  /** The process has printed nothing for this time, counted from now at the earliest. */
  quiet: duration.optional(),
  /** A process of its tree listens on this TCP port. Impossible while another process holds it. */
  port: port.optional(),
  /** No process on this machine listens on this TCP port. */
  portFree: port.optional(),
  /** The address answers 2xx or 3xx to GET; on this machine only if its tree serves it. */
  http: z
    .string()
    .refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''), {
      error: 'an address that begins with "http://" or "https://"',
    })
    .optional(),
  /**
   * The file exists and was written or moved there since the process was started, so that files of earlier
   * runs do not count. A relative path is resolved against the process's `cwd`, not the caller's.
   */
  file: z.string().min(1).optional(),
  /** The process waits for input; see `AwaitedInput`. */
  input: z.boolean().default(false),
  /**
   * `any` (default): one condition is enough, and the wait continues if one is impossible. `all`: each must
   * have held, not necessarily at the same time; an impossible one ends the wait.
   */
  mode: z.enum(['any', 'all']).default('any'),
  /**
   * Start of the search for `text` and `pattern`: the `start` of the output (default), `now`, or an offset or
   * positions of a read.
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
  /** Maximum wait. Default: unlimited. */
  timeout: duration.optional(),
  /** Ends the wait when aborted; the process continues. */
  signal: z.instanceof(AbortSignal, { error: 'an AbortSignal' }).optional(),
  /** The clock of the wait. Default: the machine's monotonic clock. */
  clock: z.custom<Clock>((value) => typeof (value as Clock | null)?.at === 'function', 'a Clock').optional(),
});

export type WaitOptions = z.input<typeof waitOptions>;
export type WaitSettings = z.output<typeof waitOptions>;
