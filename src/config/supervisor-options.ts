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
 * Names of variables that hold keys, tokens and secrets by convention: an agent's commands do not inherit
 * them. Globs, in which `*` matches anything. Passwords and addresses with passwords are not included,
 * because the program under work needs them.
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

/** The action when a foreground caller has waited for `timeout`. */
export const onTimeout = z.enum(['background', 'kill', 'wait']);

/** Overrides of the model's choice, by tool name or glob. */
const executionMode = z.enum(['background', 'sync', 'auto']);

/** Time limits: 0 disables the first three. */
export const limitOptions = {
  /**
   * Time that a caller waits in the foreground, from the call on, including time queued for a slot, restarts
   * and pauses between them. Default 30 s.
   */
  timeout: duration.default(30_000),
  onTimeout: onTimeout.default('background'),
  /** Hard limit in the foreground, from the call on. Default 300 s. */
  maxExecutionTime: duration.default(300_000),
  /** Hard limit of the whole run of a background process. Default 0: none. */
  maxBackgroundTime: duration.default(0),
  /** Time from SIGTERM to SIGKILL. Default 5 s. */
  killGrace: duration.default(5_000),
  /** Time without output after the leader's exit. Default 100 ms. */
  drainQuiet: duration.default(100),
  /** Maximum wait for output after the leader's exit. Default 2 s. */
  drainMax: duration.default(2_000),
  /** Silence after which a background process is reported. 0: never. Default 5 min. */
  notifyAfterSilence: duration.default(300_000),
  /** Runtime after which a background process is reported once. 0 (default): never. */
  notifyAfter: duration.default(0),
};

export const outputOptions = {
  /** Kept in memory for each stream: the head and the newest tail. Default 1 MiB, at least 1 KiB. */
  maxBufferBytes: bytes.min(KIB).default(MIB),
  /** Size of the kept head. Default 64 KiB. */
  headBytes: bytes.min(0).default(64 * KIB),
  /** Cap of a log file: head and rolling tail. Default 64 MiB. */
  maxLogBytes: bytes.min(4 * KIB).default(64 * MIB),
  /** Cap of a reply. Default 32 KiB. */
  maxReplyBytes: bytes.min(256).default(32 * KIB),
};

/** The non-interactive hints in the environment of a process. */
const hints = z.strictObject({
  /** `PAGER=cat` and `GIT_PAGER=cat`. */
  pager: z.boolean().default(true),
  /** `GIT_TERMINAL_PROMPT=0`. */
  gitPrompt: z.boolean().default(true),
  /** `TERM=dumb` without a terminal. */
  term: z.boolean().default(true),
});

export const supervisorOptions = z.strictObject({
  ...limitOptions,
  ...outputOptions,
  /** Default working directory of commands. Default: the working directory of this program. */
  cwd: z.string().min(1).optional(),
  /**
   * Directory of logs and records; a relative path is resolved against `cwd`. `false` keeps none. Default
   * `.troupe`.
   */
  stateDirectory: z.union([z.string().min(1), z.literal(false)]).default('.troupe'),
  /** Default owner of processes. */
  owner: z.string().min(1).default('user'),
  /** The shell for commands given as text. Default: bash, or sh if it is missing. */
  shell: z.string().min(1).optional(),
  /** Added to every environment. */
  env: z.record(z.string(), z.string()).default({}),
  /**
   * Names of this program's variables that no process inherits; globs that replace the default: `*_API_KEY`,
   * `*_APIKEY`, `*_ACCESS_KEY`, `*_SECRET_KEY`, `*_PRIVATE_KEY`, `*_TOKEN`, `*_SECRET` and `*_authToken`.
   * Variables in `env` are passed anyway.
   */
  redactNames: globs.default([...credentialNames]),
  hints: hints.prefault({}),
  /** Default lifetime of background commands, except agents; see `CommandSpec.lifetime`. Default `session`. */
  lifetime: lifetime.default('session'),
  /** The depth of an agent started by one of its processes. Default: `TROUPE_DEPTH` of this program, or 0. */
  depth: count.optional(),
  maxParallelTools: count.min(1).default(5),
  maxParallelAgents: count.min(1).default(3),
  maxBackgroundProcesses: count.default(10),
  /**
   * The terminal of interactive processes. `tmux` survives this program, `pty` does not. `auto` (default):
   * tmux if it is installed and usable, else a pty, else none. A process with `secrets` gets none where tmux
   * would be used, which writes them into its log.
   */
  terminal: z.enum(['auto', 'tmux', 'pty', 'none']).default('auto'),
  /** Secrets by name, for `writeSecret`, each read when it is used. Default: none. */
  secrets: secretSources.default({}),
  /** Asks a person for a secret with such a source, without echo. Default: no person is asked. */
  askSecret: z.custom<AskSecret>((value) => typeof value === 'function', 'a function').optional(),
  /** Time from SIGTERM to SIGKILL when the supervisor shuts down. Default 3 s. */
  shutdownGrace: duration.default(3_000),
  /** Time that an ended process is kept for queries. Default 30 min. */
  retention: duration.default(1_800_000),
  /** Maximum number of ended processes kept. Default 1000. */
  maxFinished: count.default(1_000),
  /** Time that the log of an ended process is kept. Default 7 days. */
  logRetention: duration.default(7 * 86_400_000),
  /** Execution mode by tool name; the first match wins. */
  modes: z.record(z.string(), executionMode).default({}),
  /** Foreground timeout by tool name; the first match wins. */
  timeouts: z.record(z.string(), duration).default({}),
  forceBackgroundPatterns: globs.default(['server__*', 'docker__run*', '*__serve*', '*__start_server*']),
  forceSyncPatterns: globs.default(['files__read_file', 'files__write_file']),
  /**
   * Ends the processes on SIGINT, SIGTERM, SIGHUP and an uncaught exception of this program. Default `false`.
   */
  handleSignals: z.boolean().default(false),
  /**
   * Recovers processes of earlier supervisors of this state directory: persistent ones are adopted, those
   * that died with them are `lost`, and ended ones can be queried. Live supervisors keep theirs. With an
   * owner, only that owner's. Default `true`.
   */
  recover: z.union([z.boolean(), z.strictObject({ owner: z.string().min(1) })]).default(true),
  /**
   * Allows this user's other programs, such as `troupe ps`, to see and control its processes: a control
   * socket in the state directory, from the first process on. Default `true`.
   */
  control: z.boolean().default(true),
  /** Another store for records of processes, for tests. Default: files in the state directory. */
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
  /** Another way to run commands, for tests and remote hosts. */
  backend: z.custom<BackendShape>(isBackend, 'a Backend: "mode", "capabilities" and "run"').optional(),
  /**
   * Wraps the backend between the supervisor and its processes, including those in a pty: the wrapper sees
   * each byte and sets the pace. Does not apply to persistent processes or tmux.
   */
  wrapBackend: z
    .custom<(backend: never) => BackendShape>((value) => typeof value === 'function', 'a function')
    .optional(),
});

/** The checked part of a `RecordStore`, whose type this folder may not import. */
interface RecordStoreShape {
  save(id: string, record: never): void;
}

/** The checked part of a `Backend`, whose type this folder may not import. */
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
