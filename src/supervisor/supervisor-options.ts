import type { Clock } from '../clock/clock.ts';
import type { Duration } from '../config/duration.ts';
import type { RemoteOptions } from '../config/remote-options.ts';
import type { ResourceLimits } from '../config/resource-limits.ts';
import type { AskSecret, SecretSource } from '../config/secret-source.ts';
import type {
  HintOptions,
  Inspect,
  LifetimeOption,
  LimitOptions,
  OutputOptions,
} from '../config/supervisor-options.ts';
import type { ProcessRecord } from '../process/process-record.ts';
import type { Backend } from '../spawn/backend.ts';
import type { RecordStore } from '../store/record-store.ts';

/** Options of `createSupervisor`; every one has a default. A `Duration` is milliseconds, or text with a unit, such as `'30s'`. */
export interface SupervisorOptions extends LimitOptions, OutputOptions {
  /** Bytes at which a reply (the result of `execute`, the answer of a tool) is cut; head and tail stay. Default 32 KiB, at least 256. */
  readonly maxReplyBytes?: number | undefined;
  /** Working directory of commands whose start names none. Default: the working directory of this program. */
  readonly cwd?: string | undefined;
  /** Directory of logs and records; a relative path is resolved against `cwd`. `false` keeps none. Default `.troupe`. */
  readonly stateDirectory?: string | false | undefined;
  /** Owner of processes whose start names none. Default `user`. */
  readonly owner?: string | undefined;
  /** The shell for commands given as text. Default: bash, or sh if it is missing. */
  readonly shell?: string | undefined;
  /** Variables added to every environment. Variables that are `undefined` are left out. Default: none. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /**
   * Names of this program's variables that no process inherits; globs that replace the default. Variables in `env` are passed anyway.
   * Default `*_API_KEY`, `*_APIKEY`, `*_ACCESS_KEY`, `*_SECRET_KEY`, `*_PRIVATE_KEY`, `*_TOKEN`, `*_SECRET`, `*_authToken`.
   */
  readonly redactNames?: readonly string[] | undefined;
  /** Variables that tell programs that no person is there. Default: all of them. */
  readonly hints?: HintOptions | undefined;
  /** Limits on what each command may use. Functions and workers have none. Default: none. */
  readonly resourceLimits?: ResourceLimits | undefined;
  /** Lifetime of background commands, except agents, whose start names none; see `CommandSpec.lifetime`. Default `session`. */
  readonly lifetime?: LifetimeOption | undefined;
  /** The depth of an agent started by one of its processes. Default: `TROUPE_DEPTH` of this program, or 0. */
  readonly depth?: number | undefined;
  /** Maximum number of tools and services that run in the foreground at once; further ones are queued. Default 5. */
  readonly maxParallelTools?: number | undefined;
  /** Maximum number of agents that run in the foreground at once; further ones are queued. Default 3. */
  readonly maxParallelAgents?: number | undefined;
  /** Maximum number of background processes; further background starts are refused. 0: none is allowed. Default 10. */
  readonly maxBackgroundProcesses?: number | undefined;
  /**
   * The terminal of interactive processes. `tmux` survives this program, `pty` does not. `auto`:
   * tmux if it is installed and usable, else a pty, else none. A process with `secrets` gets none where tmux
   * would be used, which writes them into its log. Default `auto`.
   */
  readonly terminal?: 'auto' | 'tmux' | 'pty' | 'none' | undefined;
  /** Secrets by name, for `writeSecret`, each read when it is used. Default: none. */
  readonly secrets?: Readonly<Record<string, SecretSource>> | undefined;
  /** Asks a person for a secret whose source is `{ ask }`, without echo. Default: no person is asked. */
  readonly askSecret?: AskSecret | undefined;
  /** Time from SIGTERM to SIGKILL when the supervisor shuts down. Default 3 s. */
  readonly shutdownGrace?: Duration | undefined;
  /** Time that an ended process is kept for queries. Default 30 min. */
  readonly retention?: Duration | undefined;
  /** Maximum number of ended processes kept. Default 1000. */
  readonly maxFinished?: number | undefined;
  /** Time that the log of an ended process is kept. Default 7 d. */
  readonly logRetention?: Duration | undefined;
  /**
   * Mode of the commands of a tool, by the tool's name or glob; the first match wins. `sync` waits for its end; with `auto` the
   * call decides, whatever the patterns below say. Default: none.
   */
  readonly modes?: Readonly<Record<string, 'background' | 'sync' | 'auto'>> | undefined;
  /** Foreground timeout by the tool's name or glob; the first match wins. Default: none. */
  readonly timeouts?: Readonly<Record<string, Duration>> | undefined;
  /**
   * Globs of tools whose commands run in the background, unless `modes` names them. Default `server__*`, `docker__run*`, `*__serve*`,
   * `*__start_server*`.
   */
  readonly forceBackgroundPatterns?: readonly string[] | undefined;
  /** Globs of tools whose commands run in the foreground, unless `modes` names them. Default `files__read_file`, `files__write_file`. */
  readonly forceSyncPatterns?: readonly string[] | undefined;
  /** Ends the processes on SIGINT, SIGTERM, SIGHUP and an uncaught exception of this program. Default `false`. */
  readonly handleSignals?: boolean | undefined;
  /**
   * Starts each process in a cgroup (version 2) of its own if this program may create one, as root or in a delegated cgroup: its descendants
   * are then always known. A command starts some milliseconds later. With `false`, and where cgroups are unavailable, the lineage in the
   * environment holds the process; see `held` in a view. Linux only. Default `true`.
   */
  readonly cgroups?: boolean | undefined;
  /**
   * Starts commands, launchers and clients of tmux from a small process beside this program, the starter: a start
   * copies the memory map of the program that makes it, and blocks the event loop meanwhile (30 ms with 600 MB of memory, 90 ms with 2 GB).
   * `auto` uses it while this program has more than 256 MB of memory. The view of a process then has its pid a few milliseconds after the
   * start. Linux only. Default `auto`.
   */
  readonly starter?: 'auto' | boolean | undefined;
  /**
   * Recovers processes of earlier supervisors of this state directory: persistent ones are adopted, those
   * that died with them are `lost`, and ended ones can be queried. Live supervisors keep theirs. With an
   * owner, only its own and those of owners named below it, `owner/…`. Default `true`.
   */
  readonly recover?: boolean | { readonly owner: string } | undefined;
  /**
   * Allows this user's other programs, such as `troupe ps`, to see and control its processes: a control
   * socket in the state directory, from the first process on. Default `true`.
   */
  readonly control?: boolean | undefined;
  /** Stores the records of processes, for tests. Default: files in the state directory. */
  readonly records?: RecordStore<ProcessRecord> | undefined;
  /** Another clock, for tests; see `createVirtualClock`. Default: the machine's monotonic clock. */
  readonly clock?: Clock | undefined;
  /** Runs commands in another way, for tests and remote hosts. Default: processes of this machine. */
  readonly backend?: Backend | undefined;
  /**
   * Wraps the backend between the supervisor and its processes, including those in a pty: the wrapper sees
   * each byte and sets the pace. Does not apply to persistent processes or tmux. Default: no wrapper.
   */
  readonly wrapBackend?: ((backend: Backend) => Backend) | undefined;
  /**
   * Other hosts, whose workers (`troupe worker`) run commands of this supervisor: those with a `host`, or all if `pool` is given. Needs the
   * packages `@nats-io/transport-node`, `@nats-io/jetstream` and `@nats-io/kv`. Default: every command runs on this machine.
   */
  readonly remote?: RemoteOptions | undefined;
  /**
   * Observes all actors of the supervisor as one system, such as `createInspector(…).inspect` of `@statelyai/inspect`: processes under their
   * ids, watches, and conversations on this supervisor. What is written to a process is hidden. Default: none, which costs nothing.
   */
  readonly inspect?: Inspect | undefined;
}
