import { z } from 'zod';
import type { Clock } from '../clock/clock.ts';
import { duration } from './duration.ts';
import { type AskSecret, secretSources } from './secret-source.ts';

export const lifetime = z.enum(['session', 'parent', 'persistent']);

const count = z.int().min(0);
const bytes = z.int();
const globs = z.array(z.string());

const KIB = 1024;
const MIB = 1024 * KIB;

/**
 * Names of variables that are keys, tokens and secrets by the custom of those who issue them: the commands of an agent do not inherit them.
 * Globs, in which `*` stands for anything. Passwords and addresses with a password in them are not among them: the program under work needs those.
 */
export const credentialNames: readonly string[] = [
  '*_API_KEY',
  '*_APIKEY',
  // AWS_SECRET_ACCESS_KEY
  '*_ACCESS_KEY',
  '*_SECRET_KEY',
  '*_PRIVATE_KEY',
  // GITHUB_TOKEN, GH_TOKEN, NPM_TOKEN, AWS_SESSION_TOKEN, HF_TOKEN
  '*_TOKEN',
  '*_SECRET',
  // npm_config_//registry.npmjs.org/:_authToken
  '*_authToken',
];

/** What happens when a foreground caller has waited for `timeout`. */
export const onTimeout = z.enum(['background', 'kill', 'wait']);

/** What a model's own wishes may be overruled with, by tool name or glob. */
const executionMode = z.enum(['background', 'sync', 'auto']);

/** Time limits: 0 means none in the first three. */
export const limitOptions = {
  /**
   * How long a caller waits in the foreground, from the call on: the wait for a free place, restarts and the pauses between them count.
   * Default 30 s.
   */
  timeout: duration.default(30_000),
  onTimeout: onTimeout.default('background'),
  /** Hard limit while in the foreground, from the call on. Default 300 s. */
  maxExecutionTime: duration.default(300_000),
  /** Hard limit on the whole run of a background process. Default 0: none. */
  maxBackgroundTime: duration.default(0),
  /** From SIGTERM to SIGKILL. Default 5 s. */
  killGrace: duration.default(5_000),
  /** After the leader's exit: how long its output must be quiet. Default 100 ms. */
  drainQuiet: duration.default(100),
  /** After the leader's exit: the longest wait for output. Default 2 s. */
  drainMax: duration.default(2_000),
  /** A background process silent for so long is announced. 0: never. Default 5 min. */
  notifyAfterSilence: duration.default(300_000),
  /** A background process that ran for so long is announced once. 0, the default: never. */
  notifyAfter: duration.default(0),
};

export const outputOptions = {
  /** Kept in memory for each stream: the head and the newest tail. Default 1 MiB, at least 1 KiB. */
  maxBufferBytes: bytes.min(KIB).default(MIB),
  /** How much of the beginning is kept. Default 64 KiB. */
  headBytes: bytes.min(0).default(64 * KIB),
  /** Cap of a log file: head and rolling tail. Default 64 MiB. */
  maxLogBytes: bytes.min(4 * KIB).default(64 * MIB),
  /** Cap of a reply. Default 32 KiB. */
  maxReplyBytes: bytes.min(256).default(32 * KIB),
};

/** Which of the non-interactive hints a process gets in its environment. */
const hints = z.strictObject({
  /** `PAGER=cat` and `GIT_PAGER=cat`. */
  pager: z.boolean().default(true),
  /** `GIT_TERMINAL_PROMPT=0`. */
  gitPrompt: z.boolean().default(true),
  /** `TERM=dumb` where there is no terminal. */
  term: z.boolean().default(true),
});

export const supervisorOptions = z.strictObject({
  ...limitOptions,
  ...outputOptions,
  /** Where commands run, unless they say otherwise. Default: the working directory of this program. */
  cwd: z.string().min(1).optional(),
  /** Where logs are kept; a relative path counts from `cwd`. `false` keeps none. Default `.troupe`. */
  stateDirectory: z.union([z.string().min(1), z.literal(false)]).default('.troupe'),
  /** Who the processes belong to, unless they say otherwise. */
  owner: z.string().min(1).default('user'),
  /** The shell that runs a command given as text. Default: bash, or sh where there is none. */
  shell: z.string().min(1).optional(),
  /** Added to every environment. */
  env: z.record(z.string(), z.string()).default({}),
  /**
   * Names of this program's variables that no process inherits; globs, in place of the default: `*_API_KEY`, `*_APIKEY`, `*_ACCESS_KEY`,
   * `*_SECRET_KEY`, `*_PRIVATE_KEY`, `*_TOKEN`, `*_SECRET` and `*_authToken`. What `env` names a process has all the same.
   */
  redactNames: globs.default([...credentialNames]),
  hints: hints.prefault({}),
  /** Of commands in the background that do not say theirs, agents excepted; see `CommandSpec.lifetime`. Default `session`. */
  lifetime: lifetime.default('session'),
  /** How deep an agent would be that one of its processes starts. Default: what this program was told by `TROUPE_DEPTH`, or 0. */
  depth: count.optional(),
  maxParallelTools: count.min(1).default(5),
  maxParallelAgents: count.min(1).default(3),
  maxBackgroundProcesses: count.default(10),
  /**
   * What gives interactive processes their terminal. `tmux` survives this program, `pty` lives in it. `auto`, the default: tmux where it
   * is installed and can be used, else a pty, else none. A process with `secrets` gets none where tmux would be taken, as that writes them into its log.
   */
  terminal: z.enum(['auto', 'tmux', 'pty', 'none']).default('auto'),
  /** Secrets by name, for `writeSecret`: where each is read when it is used. Default: none. */
  secrets: secretSources.default({}),
  /** Asks a person for a secret whose source says so, and does not show what is typed. Default: nobody is asked. */
  askSecret: z.custom<AskSecret>((value) => typeof value === 'function', 'a function').optional(),
  /** From SIGTERM to SIGKILL when the supervisor shuts down. Default 3 s. */
  shutdownGrace: duration.default(3_000),
  /** How long a finished process is kept for queries. Default 30 min. */
  retention: duration.default(1_800_000),
  /** How many finished processes are kept. Default 1000. */
  maxFinished: count.default(1_000),
  /** How long the log of a finished process is kept. Default 7 days. */
  logRetention: duration.default(7 * 86_400_000),
  /** Execution mode by tool name; the first match wins. */
  modes: z.record(z.string(), executionMode).default({}),
  /** Foreground time-out by tool name; the first match wins. */
  timeouts: z.record(z.string(), duration).default({}),
  forceBackgroundPatterns: globs.default(['server__*', 'docker__run*', '*__serve*', '*__start_server*']),
  forceSyncPatterns: globs.default(['files__read_file', 'files__write_file']),
  /** Ends the processes on SIGINT, SIGTERM, SIGHUP and an uncaught exception of this program. Default `false`. */
  handleSignals: z.boolean().default(false),
  /**
   * Whether what earlier supervisors of this state directory have left is taken over at the creation: what was to outlive them is adopted,
   * what died with them is `lost`, and what has ended can be asked for. Those that are alive keep what is theirs. With an owner, only
   * what belongs to that one. Default `true`.
   */
  recover: z.union([z.boolean(), z.strictObject({ owner: z.string().min(1) })]).default(true),
  /**
   * Whether this user's other programs, `troupe ps` among them, may see and steer its processes: a control socket in the state directory,
   * from the first process on. Default `true`.
   */
  control: z.boolean().default(true),
  /** Another place for the records of processes, for tests. Default: files in the state directory. */
  records: z
    .custom<RecordStoreShape>(
      (value) => typeof (value as RecordStoreShape | null)?.save === 'function',
      'a RecordStore',
    )
    .optional(),
  /** Another clock, for tests. */
  clock: z
    .custom<Clock>((value) => typeof (value as Clock | null)?.nowMs === 'function', 'a Clock')
    .optional(),
  /** Another way to run commands, for tests and far hosts. */
  backend: z.custom<BackendShape>(isBackend, 'a Backend: "mode", "capabilities" and "run"').optional(),
  /** Puts something between the own backend and its processes, those in a pty too: it sees each byte and sets the pace. Not for persistent ones, nor in tmux. */
  wrapBackend: z
    .custom<(backend: never) => BackendShape>((value) => typeof value === 'function', 'a function')
    .optional(),
});

/** What is checked of a `RecordStore`, whose type this folder may not import. */
interface RecordStoreShape {
  save(id: string, record: never): void;
}

/** What is checked of a `Backend`, whose type this folder may not import. */
interface BackendShape {
  readonly mode: string;
  readonly capabilities: object;
  run(port: never): unknown;
}

function isBackend(value: unknown): boolean {
  const { mode, capabilities, run } = (value ?? {}) as Partial<Record<keyof BackendShape, unknown>>;
  return (
    typeof mode === 'string' &&
    typeof capabilities === 'object' &&
    capabilities !== null &&
    typeof run === 'function'
  );
}

/** Options of `createSupervisor`, checked and complete, with all durations in milliseconds. */
export type SupervisorSettings = z.output<typeof supervisorOptions>;
