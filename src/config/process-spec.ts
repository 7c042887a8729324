import { constants } from 'node:os';
import { z } from 'zod';
import { duration } from './duration.ts';
import { lifetime, type limitOptions, onTimeout, outputOptions } from './supervisor-options.ts';

type OptionalLimits = { [Key in keyof typeof limitOptions]: z.ZodOptional<z.ZodType> };

const count = z.int().min(0);

const command = z.union([z.string().trim().min(1), z.tuple([z.string().min(1)], z.string())], {
  error: () => 'text for the shell ("git status | head") or program and arguments (["git", "status"])',
});

/** Conditions for readiness. All that are given must hold. */
const readiness = z.strictObject({
  /** A line of output contains this text, or matches this expression. */
  line: z.union([z.string().min(1), z.instanceof(RegExp)]).optional(),
  /** A TCP port on which a process of this tree listens. */
  port: z.int().min(1).max(65_535).optional(),
  /** An address that answers 2xx or 3xx to GET. */
  http: z.url().optional(),
  /** A file that appears; a relative path is resolved against the process's `cwd`. */
  file: z.string().min(1).optional(),
  /** Minimum lifetime. */
  alive: duration.optional(),
  /** Time after which it no longer becomes ready. Default 30 s. */
  within: duration.default(30_000),
});

const restart = z.strictObject({
  /** `temporary`: never. `transient`: after an abnormal end. `permanent`: always. */
  policy: z.enum(['temporary', 'transient', 'permanent']).default('temporary'),
  /** Maximum number of restarts within `within`. Default 5 in 60 s. */
  maxRestarts: count.default(5),
  within: duration.default(60_000),
  minBackoff: duration.default(500),
  maxBackoff: duration.default(30_000),
  /** Lifetime after which earlier restarts are forgotten. Default 60 s. */
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

const everyProcess = {
  ...ownLimits,
  kind: z.enum(['tool', 'agent', 'service']).default('tool'),
  /** A name chosen by the caller, shown beside the id. */
  label: z.string().min(1).optional(),
  owner: z.string().min(1).optional(),
  /**
   * Fate of the process when the conversation that owns it ends. `session` (default): it is killed. `parent`:
   * the parent conversation inherits it; without one it is killed. `persistent`: it survives, even when this
   * program ends or is killed, and the next supervisor with the same state directory adopts it. Default: the
   * supervisor's `lifetime` for a background command, else `session`.
   */
  lifetime: lifetime.optional(),
  /** The tool on whose behalf it runs, which determines its execution mode. */
  tool: z.string().min(1).optional(),
  /** Stored and shown unchanged. */
  metadata: z.record(z.string(), z.unknown()).default({}),
  /** Starts in the background, without a caller that waits. */
  background: z.boolean().optional(),
  /** Fate of processes that outlive the leader's natural end. Default `keep`. */
  leftovers: z.enum(['keep', 'kill']).default('keep'),
  restart: restart.prefault({}),
  ready: readiness.optional(),
  maxBufferBytes: outputOptions.maxBufferBytes.removeDefault().optional(),
  headBytes: outputOptions.headBytes.removeDefault().optional(),
  maxLogBytes: outputOptions.maxLogBytes.removeDefault().optional(),
  /** `false` disables the log file of this process. */
  logFile: z.boolean().default(true),
};

/** A command of the operating system: a program, or text for the shell. */
export const commandSpec = z.strictObject({
  ...everyProcess,
  /** Text runs in the shell; an array is a program with its arguments, without a shell. */
  command,
  cwd: z.string().min(1).optional(),
  /** Added to the environment; `null` removes a variable. */
  env: z.record(z.string(), z.string().nullable()).default({}),
  /** Added to the environment, and replaced by `[redacted]` wherever output is kept or shown. */
  secrets: z.record(z.string(), z.string().min(1)).default({}),
  shell: z.string().min(1).optional(),
  /** `end` (default): end-of-file at once. `pipe`: `write` and `endInput` work. */
  stdin: z.enum(['end', 'pipe']).default('end'),
  /**
   * Requests a terminal as set by the supervisor's option `terminal`; if none is available the process gets a
   * pipe for its input, and its view says so.
   */
  interactive: z.boolean().default(false),
  /** Initial size of its terminal. Default 80 columns and 24 rows. */
  size: terminalSize.prefault({}),
  hints: ownHints.optional(),
  /**
   * Handles a start when this owner already runs the same command in the background in the same directory.
   * `allow` (default): starts another one. `refuse`: throws. `join`: returns that process, or the newest
   * ended one, so that the command is not repeated while its end is kept (`retention`), even under the next
   * supervisor of the state directory.
   */
  onDuplicate: z.enum(['allow', 'join', 'refuse']).default('allow'),
  /** Starts the command regardless of `onDuplicate`. */
  force: z.boolean().default(false),
});

/** Work inside this program: a function with an abort signal. */
export const functionSpec = z.strictObject({
  ...everyProcess,
  /** See `InProcessWork`. */
  run: z.custom<(context: never) => Promise<unknown>>((value) => typeof value === 'function', 'a function'),
});

export type CommandSettings = z.output<typeof commandSpec>;
export type FunctionSettings = z.output<typeof functionSpec>;
export type ReadinessSettings = z.output<typeof readiness>;

/** Limits that may change while a process runs. */
export const limitChanges = z.strictObject({
  timeout: duration.optional(),
  maxExecutionTime: duration.optional(),
  maxBackgroundTime: duration.optional(),
});

export const killOptions = z.strictObject({
  signal: z.enum(Object.keys(constants.signals)).default('SIGTERM'),
  grace: duration.optional(),
  by: z.enum(['agent', 'user', 'supervisor', 'owner']).default('user'),
});

/** The argument of `start`, with its defaults. */
export type ParsedSpec = CommandSettings | FunctionSettings;
/** A command to run; see each option. */
export type CommandSpec = z.input<typeof commandSpec>;
/** A function of this program to run as a process. */
export type FunctionSpec = Omit<z.input<typeof functionSpec>, 'run'> & {
  readonly run: (context: {
    /** Aborted when the process is to stop; a function that ignores it stays `stopping`. */
    readonly signal: AbortSignal;
    readonly stdout: (text: string | Uint8Array) => void;
    readonly stderr: (text: string | Uint8Array) => void;
  }) => Promise<unknown>;
};
