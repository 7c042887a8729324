import type { InspectionEvent, Observer } from 'xstate';
import { z } from 'zod';
import type { Clock } from '../clock/clock.ts';
import { type Duration, duration } from './duration.ts';
import { remoteOptions } from './remote-options.ts';
import { resourceLimits } from './resource-limits.ts';
import { type AskSecret, secretSources } from './secret-source.ts';

export const lifetime = z.enum(['session', 'parent', 'persistent']);

const count = z.int().min(0);
const bytes = z.int();
const globs = z.array(z.string());

const KIB = 1024;
const MIB = 1024 * KIB;

/** Drops variables without a value, so that `process.env` is an environment. */
export function dropUndefined<Value>(
  env: Readonly<Record<string, Value | undefined>>,
): Record<string, Value> {
  const given = Object.entries(env).filter((entry): entry is [string, Value] => entry[1] !== undefined);
  return Object.fromEntries(given);
}

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

/**
 * Time limits of a process. Those that its start omits come from its supervisor. A `Duration` is milliseconds, or text with a unit, such as
 * `'30s'`.
 */
export interface LimitOptions {
  /**
   * Time that a caller waits in the foreground, from the call on, including time queued for a slot, restarts
   * and pauses between them. 0: `onTimeout` never applies. Default 30 s.
   */
  readonly timeout?: Duration | undefined;
  /**
   * The action when a foreground caller has waited for `timeout`: the process moves to the `background`, is ended (`kill`), or the
   * caller continues to wait (`wait`). Default `background`.
   */
  readonly onTimeout?: 'background' | 'kill' | 'wait' | undefined;
  /** Hard limit in the foreground, from the call on. 0: none. Default 5 min. */
  readonly maxExecutionTime?: Duration | undefined;
  /** Hard limit of the whole run of a background process. Default 0: none. */
  readonly maxBackgroundTime?: Duration | undefined;
  /** Time from SIGTERM to SIGKILL. Default 5 s. */
  readonly killGrace?: Duration | undefined;
  /** Time without output after the leader's exit, after which the output counts as complete. Default 100 ms. */
  readonly drainQuiet?: Duration | undefined;
  /** Maximum wait for output after the leader's exit. Default 2 s. */
  readonly drainMax?: Duration | undefined;
  /** Silence after which a background process is reported. 0: never. Default 5 min. */
  readonly notifyAfterSilence?: Duration | undefined;
  /** Runtime after which a background process is reported once. Default 0: never. */
  readonly notifyAfter?: Duration | undefined;
}

/** Sizes of kept output, in bytes. Those that a start omits come from its supervisor. */
export interface OutputOptions {
  /** Bytes kept in memory for each stream: the head and the newest tail. Default 1 MiB, at least 1 KiB. */
  readonly maxBufferBytes?: number | undefined;
  /** Bytes of the kept head. Default 64 KiB. */
  readonly headBytes?: number | undefined;
  /** Bytes at which a log file is capped: head and rolling tail stay. Default 64 MiB, at least 4 KiB. */
  readonly maxLogBytes?: number | undefined;
}

/** Variables that tell programs that no person is there. Those that a start omits come from its supervisor. */
export interface HintOptions {
  /** Sets `PAGER=cat` and `GIT_PAGER=cat`. Default `true`. */
  readonly pager?: boolean | undefined;
  /** Sets `GIT_TERMINAL_PROMPT=0`. Default `true`. */
  readonly gitPrompt?: boolean | undefined;
  /** Sets `TERM=dumb` without a terminal. Default `true`. */
  readonly term?: boolean | undefined;
}

/** The fate of a process when the conversation that owns it ends; see `CommandSpec.lifetime`. */
export type LifetimeOption = 'session' | 'parent' | 'persistent';

/** Observer of an inspector, as in XState's `createActor(machine, { inspect })`. */
export type Inspect = Observer<InspectionEvent> | ((event: InspectionEvent) => void);

/** The action when a foreground caller has waited for `timeout`. */
export const onTimeout = z.enum(['background', 'kill', 'wait']);

/** Overrides of the model's choice, by tool name or glob. */
const executionMode = z.enum(['background', 'sync', 'auto']);

/** Schema of `LimitOptions`. */
export const limitOptions = {
  timeout: duration.default(30_000),
  onTimeout: onTimeout.default('background'),
  maxExecutionTime: duration.default(300_000),
  maxBackgroundTime: duration.default(0),
  killGrace: duration.default(5_000),
  drainQuiet: duration.default(100),
  drainMax: duration.default(2_000),
  notifyAfterSilence: duration.default(300_000),
  notifyAfter: duration.default(0),
};

/** Schema of `OutputOptions`, and the cap of a reply. */
export const outputOptions = {
  maxBufferBytes: bytes.min(KIB).default(MIB),
  headBytes: bytes.min(0).default(64 * KIB),
  maxLogBytes: bytes.min(4 * KIB).default(64 * MIB),
  maxReplyBytes: bytes.min(256).default(32 * KIB),
};

/** Schema of `HintOptions`. */
const hints = z.strictObject({
  pager: z.boolean().default(true),
  gitPrompt: z.boolean().default(true),
  term: z.boolean().default(true),
});

/** Schema of `SupervisorOptions`, which has their documentation. */
export const supervisorOptions = z.strictObject({
  ...limitOptions,
  ...outputOptions,
  cwd: z.string().min(1).optional(),
  stateDirectory: z
    .union([z.string().min(1), z.literal(false)], {
      error: () => 'a path that is not empty, or false for none',
    })
    .default('.troupe'),
  owner: z.string().min(1).default('user'),
  shell: z.string().min(1).optional(),
  env: z.record(z.string(), z.string().optional()).transform(dropUndefined).default({}),
  redactNames: globs.default([...credentialNames]),
  hints: hints.prefault({}),
  resourceLimits: resourceLimits.default({}),
  lifetime: lifetime.default('session'),
  depth: count.optional(),
  maxParallelTools: count.min(1).default(5),
  maxParallelAgents: count.min(1).default(3),
  maxBackgroundProcesses: count.default(10),
  terminal: z.enum(['auto', 'tmux', 'pty', 'none']).default('auto'),
  secrets: secretSources.default({}),
  askSecret: z.custom<AskSecret>((value) => typeof value === 'function', 'a function').optional(),
  shutdownGrace: duration.default(3_000),
  retention: duration.default(1_800_000),
  maxFinished: count.default(1_000),
  logRetention: duration.default(7 * 86_400_000),
  modes: z.record(z.string(), executionMode).default({}),
  timeouts: z.record(z.string(), duration).default({}),
  forceBackgroundPatterns: globs.default(['server__*', 'docker__run*', '*__serve*', '*__start_server*']),
  forceSyncPatterns: globs.default(['files__read_file', 'files__write_file']),
  cgroups: z.boolean().default(true),
  starter: z.union([z.literal('auto'), z.boolean()]).default('auto'),
  handleSignals: z.boolean().default(false),
  recover: z
    .union([z.boolean(), z.strictObject({ owner: z.string().min(1) })], {
      error: () => 'true, false, or an owner ({ owner: "agent-1" })',
    })
    .default(true),
  control: z.boolean().default(true),
  records: z
    .custom<RecordStoreShape>(
      (value) => typeof (value as RecordStoreShape | null)?.save === 'function',
      'a RecordStore',
    )
    .optional(),
  clock: z
    .custom<Clock>((value) => typeof (value as Clock | null)?.nowMs === 'function', 'a Clock')
    .optional(),
  backend: z.custom<BackendShape>(isBackend, 'a Backend with "mode", "capabilities" and "run"').optional(),
  wrapBackend: z
    .custom<(backend: never) => BackendShape>((value) => typeof value === 'function', 'a function')
    .optional(),
  remote: remoteOptions.optional(),
  inspect: z
    .custom<Inspect>(
      (value) => typeof ((value as Observer<InspectionEvent> | null)?.next ?? value) === 'function',
      'a function, or an observer with "next", such as createInspector(…).inspect',
    )
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
