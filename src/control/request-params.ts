import { z } from 'zod';
import { killOptions, limitChanges } from '../config/process-spec.ts';
import { readOptions } from '../config/read-options.ts';

const none = z.strictObject({});
const id = z.string().min(1).max(200);
const ofProcess = z.strictObject({ id });

/** What each request takes. */
export const requestParams = {
  hello: none,
  list: none,
  show: ofProcess,
  read: z.strictObject({ id, options: readOptions.prefault({}) }),
  /** The output from an offset on, until the process has ended. */
  follow: z.strictObject({ id, from: z.int().min(0).default(0) }),
  wait: ofProcess,
  kill: z.strictObject({ id, options: killOptions.prefault({}) }),
  write: z.strictObject({ id, data: z.base64() }),
  endInput: ofProcess,
  restart: ofProcess,
  background: ofProcess,
  changeLimits: z.strictObject({ id, changes: limitChanges }),
  start: z.strictObject({
    /** A `CommandSpec`. In `ready.line` an expression stands as `{ source, flags }`. */
    spec: z.record(z.string(), z.unknown()),
    /** The whole environment to start in, instead of the supervisor's; what `spec.env` says comes on top. */
    env: z.record(z.string(), z.string()).optional(),
  }),
  sweep: z.strictObject({ all: z.boolean().default(false) }),
  shutdown: none,
  cancel: z.strictObject({ request: z.int() }),
} as const;
