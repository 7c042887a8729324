import { existsSync, stat } from 'node:fs';
import { resolve } from 'node:path';
import picomatch from 'picomatch';
import type { Clock } from '../clock/clock.ts';
import { createRealClock } from '../clock/real-clock.ts';
import { DEPTH_VARIABLE, parseDepth } from '../config/depth-variable.ts';
import { quote } from '../config/quote.ts';
import type { SupervisorSettings } from '../config/supervisor-options.ts';
import { TroupeError } from '../config/troupe-error.ts';
import { createSupervisorId } from '../process/process-id.ts';
import type { ProcessRecord } from '../process/process-record.ts';
import { readRecord } from '../process/read-record.ts';
import type { Backend } from '../spawn/backend.ts';
import { type Cgroups, createCgroups } from '../spawn/cgroup/cgroups.ts';
import { LINEAGE } from '../spawn/environment.ts';
import { createFileBackend } from '../spawn/file/file-backend.ts';
import { createPipeBackend } from '../spawn/pipe/pipe-backend.ts';
import { createRemoteBackend } from '../spawn/remote/remote-backend.ts';
import { createRemoteHosts } from '../spawn/remote/remote-hosts.ts';
import { createStarter, type Starter } from '../spawn/starter/starter.ts';
import { createTerminals, ownTerminals, type Terminals } from '../spawn/terminal/terminals.ts';
import { createCurrentTable } from '../spawn/tree/current-table.ts';
import { readStatLine } from '../spawn/tree/proc-entry.ts';
import type { ProcessTable, TableScope } from '../spawn/tree/process-table.ts';
import { createMarks, createScopedTable, type ToMark } from '../spawn/tree/scoped-table.ts';
import { readTableScope } from '../spawn/tree/table-scope.ts';
import {
  createTreeRegistry,
  type OrphanGuard,
  type TreeDeps,
  type TreeRegistry,
} from '../spawn/tree/tree-registry.ts';
import { createTreeSampler } from '../spawn/tree/tree-sampler.ts';
import { createWatchdog, type Watchdog } from '../spawn/watchdog/watchdog.ts';
import { createEnvironmentStore, type EnvironmentStore } from '../store/environment-store.ts';
import { createFileRecordStore } from '../store/file-record-store.ts';
import { createFileSupervisorRegistry } from '../store/file-supervisor-registry.ts';
import type { RecordStore } from '../store/record-store.ts';
import { createSocketPaths } from '../store/socket-paths.ts';
import { type StatePaths, toStatePaths } from '../store/state-paths.ts';
import type { SupervisorEntry, SupervisorRegistry } from '../store/supervisor-registry.ts';
import { realSystem, type SystemDeps } from './system-deps.ts';

/** The clock, stores, backends and process trees of one supervisor, made from its options. */
export interface SupervisorDeps {
  readonly supervisorId: string;
  readonly settings: SupervisorSettings;
  readonly cwd: string;
  readonly shell: string;
  readonly depth: number;
  /** Returns `true` if a variable of that name is withheld from processes. */
  readonly isRedacted: (name: string) => boolean;
  /** Paths in the state directory; `null` where there is none. */
  readonly paths: StatePaths | null;
  /** Environments of persistent processes; `null` without a state directory. */
  readonly environments: EnvironmentStore | null;
  /** Runs commands. */
  readonly backend: Backend;
  /** Runs commands that outlive this program; `null` if that is not possible. */
  readonly durableBackend: Backend | null;
  /** Runs commands on other hosts; `null` without the option. */
  readonly remote: Backend | null;
  readonly terminals: Terminals;
  readonly clock: Clock;
  readonly system: SystemDeps;
  readonly trees: TreeRegistry;
  readonly watchdog: Watchdog | null;
  /** `null` where the lineage alone holds processes. */
  readonly cgroups: Cgroups | null;
  /** `null` where no processes of the operating system are started. */
  readonly starter: Starter | null;
  /** `null` where no processes of the operating system are started. */
  readonly table: ProcessTable | null;
  /** Dependencies of their backends; `null` like `table`. */
  readonly treeDeps: TreeDeps | null;
  /** Names processes in the environment of their descendants. */
  readonly toMark: ToMark;
  /** The boot and namespace in which process ids of this program are valid. */
  readonly scope: TableScope;
  /** Records of processes; `null` where none are kept. */
  readonly store: RecordStore<ProcessRecord> | null;
  /** Registry of all supervisors of the state directory; `null` without a state directory. */
  readonly supervisors: SupervisorRegistry | null;
  /** Registers this supervisor if necessary. Must be called before any record is written or claimed, so that others see it is alive. */
  register(): void;
}

/**
 * @throws TroupeError `unsupported-platform`; `state-directory` where that is a link, another user's, or open to others; `invalid-option`
 * for a depth in the environment that is no number.
 */
export function createSupervisorDeps(
  settings: SupervisorSettings,
  {
    reportError,
    onIdentity,
    entry = unreachable,
    system = realSystem,
  }: {
    reportError: (error: unknown) => void;
    /** Called when the leader of a process is known. */
    onIdentity: (id: string) => void;
    entry?: () => Pick<SupervisorEntry, 'role' | 'socket'>;
    system?: SystemDeps;
  },
): SupervisorDeps {
  const depth = settings.depth ?? readDepth(process.env[DEPTH_VARIABLE]);
  const supervisorId = createSupervisorId();
  const clock = settings.clock ?? createRealClock();
  const cwd = resolve(settings.cwd ?? process.cwd());
  const ownBackend = settings.backend as Backend | undefined;
  const paths =
    settings.stateDirectory === false ? null : toStatePaths(resolve(cwd, settings.stateDirectory));
  const toMark = createMarks(paths ?? { supervisorId });
  const openTable = () => createScopedTable(createCurrentTable(), toMark);
  const table = ownBackend === undefined ? openTable() : null;
  if (table !== null) warmThreadPool();
  const cgroups = table === null || !settings.cgroups ? null : createCgroups(supervisorId, toMark);
  const cgroup = cgroups?.sessionPath ?? null;
  const watchdog = table === null ? null : createWatchdog({ supervisorId, cgroup, clock, reportError });
  const starter =
    table === null
      ? null
      : createStarter({
          use: settings.starter,
          inheritedLineage: process.env[LINEAGE],
          onChange: (change) => watchStarter(watchdog, change),
          reportError,
        });
  const wrap = (settings.wrapBackend ?? ((backend) => backend)) as (backend: Backend) => Backend;
  const trees = createTreeRegistry(watchdog === null ? noGuard : toGuard(watchdog, toMark), {
    onChange: onIdentity,
    onRemoved: ({ cgroup }) => {
      if (cgroup) cgroups?.remove(cgroup);
    },
    ...(table !== null && { sampler: createTreeSampler({ table, clock, reportError }) }),
  });
  const supervisors = paths === null ? null : createFileSupervisorRegistry({ directory: paths.directory });
  const toTreeDeps = (): TreeDeps => ({
    ...{ table: table ?? openTable(), trees, reportError },
    ...(cgroups !== null && { cgroups }),
    ...(starter !== null && { starter }),
  });
  return {
    supervisorId,
    settings,
    clock,
    system,
    cwd,
    trees,
    watchdog,
    cgroups,
    starter,
    table,
    treeDeps: table === null ? null : toTreeDeps(),
    toMark,
    shell: settings.shell ?? (existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh'),
    depth,
    // Names are not paths: a star also matches a slash and a leading dot.
    isRedacted: picomatch([...settings.redactNames, ...variablesOf(settings)], { bash: true, dot: true }),
    paths,
    environments: paths === null ? null : createEnvironmentStore(paths),
    scope: readTableScope(),
    store: openStore(settings, paths),
    supervisors,
    register: () => {
      // Checked each time: the entry may have been removed together with the rest of the directory.
      if (paths !== null && !existsSync(paths.supervisorOf(supervisorId)))
        supervisors?.register({ id: supervisorId, ...entry() });
    },
    backend: ownBackend ?? wrap(createPipeBackend(toTreeDeps())),
    remote: toRemote(settings, { supervisorId, reportError, wrap }),
    terminals:
      ownBackend === undefined
        ? createTerminals({
            ...toTreeDeps(),
            wrap,
            tmuxSocket: paths === null ? null : () => createSocketPaths(paths).make('tmux'),
          })
        : ownTerminals(ownBackend),
    durableBackend:
      ownBackend === undefined
        ? createFileBackend(toTreeDeps())
        : ownBackend.capabilities.durable
          ? ownBackend
          : null,
  };
}

/** Closes what the backends hold between runs. */
export async function closeBackends({
  backend,
  durableBackend,
  remote,
  terminals,
}: Pick<SupervisorDeps, 'backend' | 'durableBackend' | 'remote' | 'terminals'>): Promise<void> {
  for (const each of new Set([backend, durableBackend, remote])) await each?.close?.();
  await terminals.close();
}

/** Ends the programs and removes the cgroups that guard processes. To be called when none is left. */
export async function closeGuards({
  starter,
  trees,
  watchdog,
  cgroups,
}: Pick<SupervisorDeps, 'starter' | 'trees' | 'watchdog' | 'cgroups'>): Promise<void> {
  await starter?.close();
  trees.close();
  await watchdog?.close();
  cgroups?.close();
}

/**
 * Starts the threads of libuv's pool before commands use up the limit of threads: libuv aborts the program (SIGABRT) if it cannot start
 * them.
 */
function warmThreadPool(): void {
  stat('/', () => {});
}

/** Variables that hold secrets: a process gets them by name only when it asks for the secret. */
function variablesOf({ secrets }: SupervisorSettings): readonly string[] {
  return Object.values(secrets).flatMap((source) => ('env' in source ? [source.env] : []));
}

function toRemote(
  { remote, owner }: SupervisorSettings,
  {
    supervisorId,
    reportError,
    wrap,
  }: {
    readonly supervisorId: string;
    readonly reportError: (error: unknown) => void;
    readonly wrap: (backend: Backend) => Backend;
  },
): Backend | null {
  if (remote === undefined) return null;
  return wrap(createRemoteBackend(createRemoteHosts(remote, { owner, supervisorId, reportError })));
}

const unreachable = () => ({ role: 'program', socket: null }) as const;

function toGuard(watchdog: Watchdog, toMark: ToMark): OrphanGuard {
  return { ...watchdog, exempt: (id) => watchdog.exempt(toMark(id)) };
}

/** Makes a starter die with this program, also where it hangs. */
function watchStarter(
  watchdog: Watchdog | null,
  change: { readonly began: number } | { readonly ended: number },
): void {
  if ('ended' in change) return watchdog?.remove({ pgid: change.ended });
  const pid = change.began;
  const startedAt = readStatLine(pid)?.startTicks;
  if (startedAt !== undefined) watchdog?.add({ pid, pgid: pid, startedAt });
}

const noGuard: OrphanGuard = { prepare: () => {}, add: () => {}, remove: () => {}, exempt: () => {} };

function openStore(settings: SupervisorSettings, paths: StatePaths | null): SupervisorDeps['store'] {
  if (settings.records !== undefined) return settings.records as unknown as RecordStore<ProcessRecord>;
  if (paths === null) return null;
  return createFileRecordStore({ directory: paths.processes, parse: readRecord });
}

/** Reads the depth of this program. Invalid text is refused, because counting from 0 again would lift the limit. */
function readDepth(text: string | undefined): number {
  if (text === undefined) return 0;
  const depth = parseDepth(text);
  if (depth !== null) return depth;
  const message = `createSupervisor: the variable ${DEPTH_VARIABLE} is ${quote(text)}; expected a whole number from 0. Unset it, or give the option "depth".`;
  throw new TroupeError({ code: 'invalid-option', message });
}
