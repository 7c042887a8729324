import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { abortSignal, onAbort } from './abort-signal.ts';
import { type Duration, duration } from './duration.ts';
import { ownId } from './own-id.ts';
import { host } from './remote-options.ts';
import { type ResourceLimits, resourceLimits } from './resource-limits.ts';
import {
  dropUndefined,
  type HintOptions,
  type LifetimeOption,
  type LimitOptions,
  lifetime,
  type limitOptions,
  type OutputOptions,
  onTimeout,
  outputOptions,
} from './supervisor-options.ts';
import { type WorkerModule, workerModule } from './worker-module.ts';

/**
 * Conditions for readiness. All that are given must hold. Without one, a process is ready as soon as it runs.
 */
export interface ReadyOptions {
  /** A line of output contains this text, or matches this expression. */
  readonly line?: string | RegExp | undefined;
  /** A TCP port, 1 to 65535, on which a process of this tree listens. */
  readonly port?: number | undefined;
  /** An address that answers 2xx or 3xx to GET. */
  readonly http?: string | undefined;
  /** A file that appears; a relative path is resolved against the process's `cwd`. */
  readonly file?: string | undefined;
  /** Minimum lifetime. */
  readonly alive?: Duration | undefined;
  /** Time after which it no longer becomes ready. Default 30 s. */
  readonly within?: Duration | undefined;
}

/** Conditions and limits of restarts. The pause doubles with each restart. */
export interface RestartOptions {
  /** `temporary`: never. `transient`: after an abnormal end. `permanent`: always. Default `temporary`. */
  readonly policy?: 'temporary' | 'transient' | 'permanent' | undefined;
  /** Maximum number of restarts within `within`; one more, and the process has failed. Default 5. */
  readonly maxRestarts?: number | undefined;
  /** The period in which restarts are counted. Default 1 min. */
  readonly within?: Duration | undefined;
  /** The first pause before a restart. Default 500 ms. */
  readonly minBackoff?: Duration | undefined;
  /** The longest pause before a restart. Default 30 s. */
  readonly maxBackoff?: Duration | undefined;
  /** Lifetime after which earlier restarts are forgotten. Default 1 min. */
  readonly healthyAfter?: Duration | undefined;
}

/** The size of a new terminal, in characters. */
export interface SizeOptions {
  /** Width, 2 to 1000. Default 80. */
  readonly columns?: number | undefined;
  /** Height, 1 to 1000. Default 24. */
  readonly rows?: number | undefined;
}

/** Options of every start. Time limits and sizes of output that are omitted come from the supervisor. */
export interface ProcessOptions extends LimitOptions, OutputOptions {
  /**
   * An id of the caller's choice: 1 to 64 letters, digits, `_` and `-`. A command is started at most once per id in a state directory; another
   * start with the id returns that process, or its end from the record, also after a restart of the program. This lasts as long as the
   * end is kept: `logRetention` after it, or until `sweep`; without a state directory, at most as long as the supervisor. Default: a new id.
   */
  readonly id?: string | undefined;
  /** `tool`, `agent` or `service`; agents have slots of their own, and their JSON is their result. Default `tool`. */
  readonly kind?: 'tool' | 'agent' | 'service' | undefined;
  /** A name chosen by the caller, shown beside the id, by which `find` and the command line know it. Default: none. */
  readonly label?: string | undefined;
  /** The owner, whose mailbox gets the end. Default: the supervisor's `owner`. */
  readonly owner?: string | undefined;
  /**
   * Fate of the process when the conversation that owns it ends. `session`: it is killed. `parent`:
   * the parent conversation inherits it; without one it is killed. `persistent`: it survives, even when this
   * program ends or is killed, and the next supervisor with the same state directory adopts it. Default: the
   * supervisor's `lifetime` for a background command, else `session`.
   */
  readonly lifetime?: LifetimeOption | undefined;
  /** The tool on whose behalf it runs, which determines its execution mode. Default: none. */
  readonly tool?: string | undefined;
  /** Id of the tool call that starts the process. Default: none. */
  readonly callId?: string | undefined;
  /** Stored and shown unchanged. Default: empty. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** Starts in the background, without a caller that waits. Default: as the rules for its `tool` say, else `false`. */
  readonly background?: boolean | undefined;
  /** Fate of processes that outlive the leader's natural end. Default `keep`. */
  readonly leftovers?: 'keep' | 'kill' | undefined;
  /** Restarts after an end. Default: none. */
  readonly restart?: RestartOptions | undefined;
  /** Conditions for readiness, for `handle.ready()`. Default: ready as soon as it runs. */
  readonly ready?: ReadyOptions | undefined;
  /** `false` disables the log file of this process. Default `true`. */
  readonly logFile?: boolean | undefined;
  /**
   * Lets go of the process when aborted, as `onAbort` says, until it has ended. If it is aborted before the start, nothing is started.
   * Default: none.
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * Fate of the process when `signal` is aborted. `kill`: its whole tree is killed, and `execute` waits for the proof. `detach`: it continues
   * in the background, and `execute` returns at once. Default `kill`.
   */
  readonly onAbort?: 'kill' | 'detach' | undefined;
}

/** Input of a process: text or bytes, or a stream of them, such as a `ReadableStream`, a Node `Readable` or an async generator. */
export type InputSource =
  | string
  | Uint8Array
  | ReadableStream<string | Uint8Array>
  | AsyncIterable<string | Uint8Array>;

/** A command of the operating system: a program, or text for the shell. Only `command` is required. */
export interface CommandSpec extends ProcessOptions {
  /** Text runs in the shell; an array is a program with its arguments, without a shell. */
  readonly command: string | readonly string[];
  /**
   * Program and arguments to start instead of `command`, such as a sandbox around it. Views, notices and lists show `command`.
   * Default: none.
   */
  readonly wrappedCommand?: readonly string[] | undefined;
  /** Working directory; a relative path is resolved against the supervisor's `cwd`. Default: the supervisor's `cwd`. */
  readonly cwd?: string | undefined;
  /**
   * File to which the shell writes the absolute path of its last directory, for agents whose directory persists between commands. Only for a
   * command given as text; the text is shown unchanged. Nothing is written if the shell is not a POSIX shell, is killed by a signal or
   * replaced (`exec`), or if the text sets an EXIT trap. Default: none.
   */
  readonly cwdFile?: string | undefined;
  /** Variables added to the environment; `null` removes a variable, `undefined` leaves it as it is. Default: none. */
  readonly env?: Readonly<Record<string, string | null | undefined>> | undefined;
  /** Variables added to the environment, and replaced by `[redacted]` wherever output is kept or shown. Default: none. */
  readonly secrets?: Readonly<Record<string, string>> | undefined;
  /** The shell for a command given as text. Default: the supervisor's `shell`. */
  readonly shell?: string | undefined;
  /** `end`: the process reads end-of-file at once. `pipe`: `write` and `endInput` work. Default `end`. */
  readonly stdin?: 'end' | 'pipe' | undefined;
  /**
   * Input that is written to stdin as fast as the process reads it; then stdin is ended. Text and bytes are written to each attempt, a
   * stream only to the first. A stream is cancelled when the process ends or closes its stdin before all is read; that is no error. If
   * the stream fails, the process is killed, so that it never takes a part for the whole. Not recorded: a persistent process reads
   * end-of-file early if its supervisor ends first. Default: none.
   */
  readonly input?: InputSource | undefined;
  /**
   * Requests a terminal as set by the supervisor's option `terminal`; if none is available the process gets a
   * pipe for its input, and its view says so. Default `false`.
   */
  readonly interactive?: boolean | undefined;
  /** Initial size of its terminal. Default: 80 columns and 24 rows. */
  readonly size?: SizeOptions | undefined;
  /** Variables that tell programs that no person is there. Default: those of the supervisor. */
  readonly hints?: HintOptions | undefined;
  /**
   * Host that runs the command: `local` for this machine, or a pool of the supervisor's `remote` servers, such as `pool:gpu`. There its `cwd`
   * and its files are those of the worker, and variables of this program are not inherited. Default: the pool of `remote`, else `local`.
   */
  readonly host?: 'local' | `pool:${string}` | undefined;
  /** Limits on what it may use, over those of the supervisor. Default: the supervisor's `resourceLimits`. */
  readonly resourceLimits?: ResourceLimits | undefined;
  /**
   * Handles a start when this owner already runs the same command in the background in the same directory.
   * `allow`: starts another one. `refuse`: throws. `join`: returns that process, or the newest
   * ended one, so that the command is not repeated while its end is kept (`retention`), even under the next
   * supervisor of the state directory. Default `allow`.
   */
  readonly onDuplicate?: 'allow' | 'join' | 'refuse' | undefined;
  /** Starts the command regardless of `onDuplicate`. Default `false`. */
  readonly force?: boolean | undefined;
}

/** A function of this program to run as a process. Only `run` is required. */
export interface FunctionSpec extends ProcessOptions {
  /** The work; its process ends when the promise settles, and has failed when it rejects. A module runs in a worker thread. */
  readonly run: ((context: FunctionContext) => Promise<unknown>) | WorkerModule;
}

/** Context of a function that runs as a process. */
export interface FunctionContext {
  /** Id of the process that runs the function. */
  readonly id: string;
  /** Aborted when the process is to stop; a function that ignores it stays `stopping`. */
  readonly signal: AbortSignal;
  /** Writes to the stdout of the process. Returns a promise while more should wait: for a reader that loses nothing, or for the disk. */
  readonly stdout: (text: string | Uint8Array) => Promise<void> | undefined;
  /** Writes to the stderr of the process; see `stdout`. */
  readonly stderr: (text: string | Uint8Array) => Promise<void> | undefined;
}

/** Context of a function that runs in a worker thread. */
export interface WorkerContext extends FunctionContext {
  /** The value of `workerData`. */
  readonly workerData: unknown;
}

type OptionalLimits = { [Key in keyof typeof limitOptions]: z.ZodOptional<z.ZodType> };

const count = z.int().min(0);

const command = z.union([z.string().trim().min(1), z.tuple([z.string().min(1)], z.string())], {
  error: () => 'text for the shell ("git status | head") or program and arguments (["git", "status"])',
});

/** Schema of `ReadyOptions`. */
const readiness = z.strictObject({
  line: z
    .union([z.string().min(1), z.instanceof(RegExp)], {
      error: () => 'a text that is not empty, or a regular expression (/ready/)',
    })
    .optional(),
  port: z.int().min(1).max(65_535).optional(),
  http: z.url().optional(),
  file: z.string().min(1).optional(),
  alive: duration.optional(),
  within: duration.default(30_000),
});

/** Schema of `RestartOptions`. */
const restart = z.strictObject({
  policy: z.enum(['temporary', 'transient', 'permanent']).default('temporary'),
  maxRestarts: count.default(5),
  within: duration.default(60_000),
  minBackoff: duration.default(500),
  maxBackoff: duration.default(30_000),
  healthyAfter: duration.default(60_000),
});

/** Limits of a terminal: fewer than 2 columns break wide characters, and no program expects more than 1 000. */
export const terminalSize = z.strictObject({
  columns: z.int().min(2).max(1_000).default(80),
  rows: z.int().min(1).max(1_000).default(24),
});

/** Limits of a process; missing ones come from the supervisor. */
const ownLimits = {
  timeout: duration.optional(),
  onTimeout: onTimeout.optional(),
  maxExecutionTime: duration.optional(),
  maxBackgroundTime: duration.optional(),
  killGrace: duration.optional(),
  drainQuiet: duration.optional(),
  drainMax: duration.optional(),
  notifyAfterSilence: duration.optional(),
  notifyAfter: duration.optional(),
} satisfies OptionalLimits;

/** Missing hints come from the supervisor. */
const ownHints = z.strictObject({
  pager: z.boolean().optional(),
  gitPrompt: z.boolean().optional(),
  term: z.boolean().optional(),
});

const empty = Object.freeze({});
/** Returns the same object for every process, which saves memory. */
const sharedEmpty = () => empty;

const everyProcess = {
  ...ownLimits,
  id: ownId.optional(),
  kind: z.enum(['tool', 'agent', 'service']).default('tool'),
  label: z.string().min(1).optional(),
  owner: z.string().min(1).optional(),
  lifetime: lifetime.optional(),
  tool: z.string().min(1).optional(),
  callId: z.string().min(1).optional(),
  metadata: z.record(z.string(), z.unknown()).default(sharedEmpty),
  background: z.boolean().optional(),
  leftovers: z.enum(['keep', 'kill']).default('keep'),
  restart: restart.prefault({}),
  ready: readiness.optional(),
  maxBufferBytes: outputOptions.maxBufferBytes.removeDefault().optional(),
  headBytes: outputOptions.headBytes.removeDefault().optional(),
  maxLogBytes: outputOptions.maxLogBytes.removeDefault().optional(),
  logFile: z.boolean().default(true),
  signal: abortSignal.optional(),
  onAbort: onAbort.default('kill'),
};

function isInputSource(value: unknown): boolean {
  if (typeof value === 'string' || value instanceof Uint8Array || value instanceof ReadableStream)
    return true;
  return typeof (value as Partial<AsyncIterable<unknown>> | null)?.[Symbol.asyncIterator] === 'function';
}

/** Schema of `CommandSpec`, which has its documentation. */
export const commandSpec = z.strictObject({
  ...everyProcess,
  command,
  wrappedCommand: z.tuple([z.string().min(1)], z.string()).optional(),
  cwd: z.string().min(1).optional(),
  cwdFile: z
    .string()
    .refine(isAbsolute, { error: () => 'an absolute path' })
    .optional(),
  env: z.record(z.string(), z.string().nullable().optional()).transform(dropUndefined).default(sharedEmpty),
  secrets: z.record(z.string(), z.string().min(1)).default(sharedEmpty),
  shell: z.string().min(1).optional(),
  stdin: z.enum(['end', 'pipe']).default('end'),
  input: z
    .custom<InputSource>(
      isInputSource,
      'text, bytes (Uint8Array), a ReadableStream, or an async iterable of them',
    )
    .optional(),
  interactive: z.boolean().default(false),
  size: terminalSize.prefault({}),
  hints: ownHints.optional(),
  host: host.optional(),
  resourceLimits: resourceLimits.optional(),
  onDuplicate: z.enum(['allow', 'join', 'refuse']).default('allow'),
  force: z.boolean().default(false),
});

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}

/** Schema of `FunctionSpec`. */
export const functionSpec = z.strictObject({
  ...everyProcess,
  run: z.union([z.custom<Exclude<FunctionSpec['run'], WorkerModule>>(isFunction), workerModule], {
    error: () =>
      "a function, or a module for a worker thread ({ worker: new URL('./job.js', import.meta.url) }, or its absolute path)",
  }),
});

export type CommandSettings = z.output<typeof commandSpec>;
export type FunctionSettings = z.output<typeof functionSpec>;
export type ReadinessSettings = z.output<typeof readiness>;

/** The argument of `start`, with its defaults. */
export type ParsedSpec = CommandSettings | FunctionSettings;
