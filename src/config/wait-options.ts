import { z } from 'zod';
import type { Clock } from '../clock/clock.ts';
import { abortSignal, onAbort } from './abort-signal.ts';
import { type Duration, duration } from './duration.ts';

const port = z.int().min(1).max(65_535);
const offset = z.int().min(0);

/** Conditions and timeout of a wait. Without a condition it waits for the end of the process. */
export interface WaitOptions {
  /** The process has ended, with all of its output. Default `false`; `true` where no condition is given. */
  readonly exit?: boolean | undefined;
  /** A rendered line of output contains this text; unfinished lines count. */
  readonly text?: string | undefined;
  /**
   * A rendered line of output matches this JavaScript regular expression. An invalid or slow expression ends
   * the wait with a reason.
   */
  readonly pattern?: string | undefined;
  /** The process is ready as declared at its start. Default `false`. */
  readonly ready?: boolean | undefined;
  /** The process has printed nothing for this time, counted from now at the earliest. */
  readonly quiet?: Duration | undefined;
  /** A process of its tree listens on this TCP port, 1 to 65535. Impossible while another process holds it. */
  readonly port?: number | undefined;
  /** No process on this machine listens on this TCP port. */
  readonly portFree?: number | undefined;
  /** The address answers 2xx or 3xx to GET; on this machine only if its tree serves it. */
  readonly http?: string | undefined;
  /**
   * The file exists and was written or moved there since the process was started, so that files of earlier
   * runs do not count. A relative path is resolved against the process's `cwd`, not the caller's.
   */
  readonly file?: string | undefined;
  /** The process waits for input; see `AwaitedInput`. Default `false`. */
  readonly input?: boolean | undefined;
  /**
   * `any`: one condition is enough, and the wait continues if one is impossible. `all`: each must
   * have held, not necessarily at the same time; an impossible one ends the wait. Default `any`.
   */
  readonly mode?: 'any' | 'all' | undefined;
  /**
   * Start of the search for `text` and `pattern`: the `start` of the output, `now`, or an offset in bytes or
   * positions of a read. Default `start`.
   */
  readonly from?:
    | 'start'
    | 'now'
    | number
    | Readonly<Record<'stdout' | 'stderr' | 'screen', number>>
    | undefined;
  /** Maximum wait. Default: unlimited. */
  readonly timeout?: Duration | undefined;
  /** Ends the wait when aborted, with the end `interrupted`; `onAbort` decides about the process. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Fate of the process when `signal` is aborted. `detach`: it continues. `kill`: its whole tree is killed, and the wait ends with the
   * process. Default `detach`.
   */
  readonly onAbort?: 'kill' | 'detach' | undefined;
  /** The clock of the wait. Default: the machine's monotonic clock. */
  readonly clock?: Clock | undefined;
}

/** Schema of `WaitOptions`, which has their documentation. */
export const waitOptions = z.strictObject({
  exit: z.boolean().default(false),
  text: z.string().min(1).optional(),
  pattern: z.string().min(1).optional(),
  ready: z.boolean().default(false),
  quiet: duration.optional(),
  port: port.optional(),
  portFree: port.optional(),
  http: z
    .string()
    .refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''), {
      error: 'an address that begins with "http://" or "https://"',
    })
    .optional(),
  file: z.string().min(1).optional(),
  input: z.boolean().default(false),
  mode: z.enum(['any', 'all']).default('any'),
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
  timeout: duration.optional(),
  signal: abortSignal.optional(),
  onAbort: onAbort.default('detach'),
  clock: z.custom<Clock>((value) => typeof (value as Clock | null)?.at === 'function', 'a Clock').optional(),
});

export type WaitSettings = z.output<typeof waitOptions>;
