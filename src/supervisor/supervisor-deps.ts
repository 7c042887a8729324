import { existsSync, stat } from 'node:fs';
import { resolve } from 'node:path';
import picomatch from 'picomatch';
import type { Clock } from '../clock/clock.ts';
import { createRealClock } from '../clock/real-clock.ts';
import { DEPTH_VARIABLE, parseDepth } from '../config/depth.ts';
import { quote } from '../config/quote.ts';
import type { SupervisorSettings } from '../config/supervisor-options.ts';
import { TroupeError } from '../config/troupe-error.ts';
import { createSupervisorId } from '../process/process-id.ts';
import type { ProcessRecord } from '../process/process-record.ts';
import { readRecord } from '../process/read-record.ts';
import type { Backend } from '../spawn/backend.ts';
import { createFileBackend } from '../spawn/file/file-backend.ts';
import { createPipeBackend } from '../spawn/pipe/pipe-backend.ts';
import { createTerminals, ownTerminals, type Terminals } from '../spawn/terminal/terminals.ts';
import { createCurrentTable } from '../spawn/tree/current-table.ts';
import type { ProcessTable, TableScope } from '../spawn/tree/process-table.ts';
import { readTableScope } from '../spawn/tree/table-scope.ts';
import { createTreeRegistry, type OrphanGuard, type TreeRegistry } from '../spawn/tree/tree-registry.ts';
import { createWatchdog, type Watchdog } from '../spawn/watchdog/watchdog.ts';
import { createEnvironmentStore, type EnvironmentStore } from '../store/environment-store.ts';
import { createFileRecordStore } from '../store/file-record-store.ts';
import { createFileSupervisorRegistry } from '../store/file-supervisor-registry.ts';
import type { RecordStore } from '../store/record-store.ts';
import { createSocketPaths } from '../store/socket-paths.ts';
import { type StatePaths, toStatePaths } from '../store/state-paths.ts';
import type { SupervisorEntry, SupervisorRegistry } from '../store/supervisor-registry.ts';

/** What a supervisor stands on: its clock, its way to start commands, and what ends them when it cannot. */
export interface SupervisorDeps {
  readonly supervisorId: string;
  readonly settings: SupervisorSettings;
  readonly cwd: string;
  readonly shell: string;
  readonly depth: number;
  /** Whether a variable of that name stays with this program. */
  readonly isRedacted: (name: string) => boolean;
  /** `null` where nothing is written down. */
  readonly paths: StatePaths | null;
  /** What persistent processes were given; `null` where nothing is written down. */
  readonly environments: EnvironmentStore | null;
  /** Runs commands. */
  readonly backend: Backend;
  /** Runs commands that outlive this program; `null` where there are none. */
  readonly durableBackend: Backend | null;
  readonly terminals: Terminals;
  readonly clock: Clock;
  readonly trees: TreeRegistry;
  readonly watchdog: Watchdog | null;
  /** `null` where nothing of the operating system is started. */
  readonly table: ProcessTable | null;
  /** Where the process ids of this program mean anything. */
  readonly scope: TableScope;
  /** `null` where nothing is written down. */
  readonly store: RecordStore<ProcessRecord> | null;
  /** Who else supervises in the same directory; `null` where there is none. */
  readonly supervisors: SupervisorRegistry | null;
  /** Sees to it that the roll has this supervisor, before it writes or claims anything: else nobody could tell that it is alive. */
  register(): void;
}

/** @throws TroupeError `unsupported-platform`; `state-directory` where that is a link, another user's, or open to others; `invalid-option` where the environment tells no depth. */
export function createSupervisorDeps(
  settings: SupervisorSettings,
  wiring: {
    reportError: (error: unknown) => void;
    onIdentity: (id: string) => void;
    entry?: () => Pick<SupervisorEntry, 'role' | 'socket'>;
  },
): SupervisorDeps {
  const { reportError, onIdentity, entry = unreachable } = wiring;
  const depth = settings.depth ?? readDepth(process.env[DEPTH_VARIABLE]);
  const supervisorId = createSupervisorId();
  const clock = settings.clock ?? createRealClock();
  const cwd = resolve(settings.cwd ?? process.cwd());
  const ownBackend = settings.backend as Backend | undefined;
  const table = ownBackend === undefined ? createCurrentTable() : null;
  if (table !== null) warmThreadPool();
  const watchdog = table === null ? null : createWatchdog({ supervisorId, clock, reportError });
  const wrap = (settings.wrapBackend ?? ((backend) => backend)) as (backend: Backend) => Backend;
  const trees = createTreeRegistry(watchdog ?? noGuard, { onChange: onIdentity });
  const paths =
    settings.stateDirectory === false ? null : toStatePaths(resolve(cwd, settings.stateDirectory));
  const roll = paths === null ? null : createFileSupervisorRegistry({ directory: paths.directory });
  return {
    supervisorId,
    settings,
    clock,
    cwd,
    trees,
    watchdog,
    table,
    shell: settings.shell ?? (existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh'),
    depth,
    // As in a shell, where a star also stands for a slash and a leading dot: names are no paths.
    isRedacted: picomatch([...settings.redactNames, ...variablesOf(settings)], { bash: true, dot: true }),
    paths,
    environments: paths === null ? null : createEnvironmentStore(paths),
    scope: readTableScope(),
    store: openStore(settings, paths),
    supervisors: roll,
    register: () => {
      // Looked at each time, which is cheap: whoever emptied the directory took the entry, too.
      if (paths !== null && !existsSync(paths.supervisorOf(supervisorId)))
        roll?.register({ id: supervisorId, ...entry() });
    },
    backend:
      ownBackend ?? wrap(createPipeBackend({ table: table ?? createCurrentTable(), trees, reportError })),
    terminals:
      ownBackend === undefined
        ? createTerminals({
            ...{ table: table ?? createCurrentTable(), trees, reportError },
            wrap,
            tmuxSocket: paths === null ? null : () => createSocketPaths(paths).make('tmux'),
          })
        : ownTerminals(ownBackend),
    durableBackend:
      ownBackend === undefined
        ? createFileBackend({ table: table ?? createCurrentTable(), trees, reportError })
        : ownBackend.capabilities.durable
          ? ownBackend
          : null,
  };
}

/**
 * Has libuv start the threads of its pool, which it does with the first call that needs one. Where the system gives no more threads it ends the
 * program (SIGABRT); so they are there before commands use up what there is.
 */
function warmThreadPool(): void {
  stat('/', () => {});
}

/** What is given by name is not to be had for the asking. */
function variablesOf({ secrets }: SupervisorSettings): readonly string[] {
  return Object.values(secrets).flatMap((source) => ('env' in source ? [source.env] : []));
}

const unreachable = () => ({ role: 'program', socket: null }) as const;

const noGuard: OrphanGuard = { prepare: () => {}, add: () => {}, remove: () => {}, exempt: () => {} };

function openStore(settings: SupervisorSettings, paths: StatePaths | null): SupervisorDeps['store'] {
  if (settings.records !== undefined) return settings.records as unknown as RecordStore<ProcessRecord>;
  if (paths === null) return null;
  return createFileRecordStore({ directory: paths.processes, parse: readRecord });
}

/** What this program was told is passed on. Text that is no depth would start anew at 0, and is refused instead. */
function readDepth(text: string | undefined): number {
  if (text === undefined) return 0;
  const depth = parseDepth(text);
  if (depth !== null) return depth;
  const message = `createSupervisor: the variable ${DEPTH_VARIABLE} is ${quote(text)}; expected a whole number from 0. Unset it, or give the option "depth".`;
  throw new TroupeError({ code: 'invalid-option', message });
}
