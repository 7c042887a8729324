import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';

/**
 * A module to run in a worker thread of this program. If its default export is a function, that is called with a `WorkerContext`; otherwise the
 * process ends with the module's own work. An uncaught error is printed to stderr, and the exit code is 1.
 */
export interface WorkerModule {
  /** The module: a URL, such as `new URL('./job.js', import.meta.url)`, or an absolute path. */
  readonly worker: URL | string;
  /** A value that can be cloned, given to the function and to `workerData` of `node:worker_threads`. Default: none. */
  readonly workerData?: unknown;
  /** Limits of the thread's memory. A thread that exceeds one fails. Default: those of Node. */
  readonly resourceLimits?: WorkerLimits | undefined;
}

/** Limits of the memory of a worker thread, in MiB. */
export interface WorkerLimits {
  /** The main heap. */
  readonly maxOldGenerationSizeMb?: number | undefined;
  /** The heap of recent objects. */
  readonly maxYoungGenerationSizeMb?: number | undefined;
  /** Generated code. */
  readonly codeRangeSizeMb?: number | undefined;
  /** The stack. Default 4. */
  readonly stackSizeMb?: number | undefined;
}

const mebibytes = z.number().positive().optional();

/** Schema of `WorkerModule`; the module is a URL. */
export const workerModule = z.strictObject({
  worker: z
    .custom<URL | string>(
      (value) => value instanceof URL || (typeof value === 'string' && isAbsolute(value)),
      {
        error: () => "a URL (new URL('./job.js', import.meta.url)) or an absolute path",
      },
    )
    .transform((module) => (typeof module === 'string' ? pathToFileURL(module) : module).href),
  workerData: z.unknown().optional(),
  resourceLimits: z
    .strictObject({
      maxOldGenerationSizeMb: mebibytes,
      maxYoungGenerationSizeMb: mebibytes,
      codeRangeSizeMb: mebibytes,
      stackSizeMb: mebibytes,
    })
    .optional(),
});
