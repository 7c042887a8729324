import { dirname } from 'node:path';
import type { Cancel, Clock } from '../clock/clock.ts';
import { createRealClock } from '../clock/real-clock.ts';
import { toError } from '../config/error-text.ts';
import type { ProcessView } from '../process/process-view.ts';
import { createFileSupervisorRegistry } from '../store/file-supervisor-registry.ts';
import { toStatePaths } from '../store/state-paths.ts';
import { createSupervisor } from '../supervisor/create-supervisor.ts';
import type { ShutdownReport } from '../supervisor/shutdown-report.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import type { SupervisorOptions } from '../supervisor/supervisor-options.ts';
import type { AttachedClients } from './attached-clients.ts';
import { claimDaemon } from './claim-daemon.ts';
import { type ControlServer, serveControl } from './control-server.ts';
import { guardEntry } from './guard-entry.ts';
import { SHELL_OWNER } from './protocol.ts';

interface DaemonOptions {
  /** State directory. */
  readonly directory: string;
  /** Ends the daemon after this time without a live process or client. `null`: never. Default 10 s. */
  readonly idleMs?: number | null;
  readonly clock?: Clock;
  /** Options of its supervisor; the daemon's own settings take precedence where they overlap. */
  readonly supervisor?: SupervisorOptions;
  /** Serves the Model Context Protocol to clients of the socket. Default: they are refused. */
  readonly createAttached?: (supervisor: Supervisor) => AttachedClients;
  /** Called when the daemon accepts clients. `end` ends it. */
  readonly onReady?: (daemon: { readonly supervisor: Supervisor; end(): void }) => void;
}

type DaemonEnd =
  /** The state directory already has a daemon; nothing was done. */
  | { readonly type: 'notNeeded' }
  | {
      readonly type: 'ended';
      /** `workspaceRemoved`: the directory around the state directory was removed, and all processes were killed. */
      readonly why: 'idle' | 'asked' | 'workspaceRemoved';
      readonly report: ShutdownReport;
    };

const DEFAULT_IDLE_MS = 10_000;

/** Generous, because a person at a shell expects no limit on background processes. */
const MAX_BACKGROUND_PROCESSES = 1_000;

/** Processes that a person starts inherit that person's environment, including keys: no model is involved. */
const noRedactedNames: string[] = [];

/** Longer than any program runs. */
const FOREVER_MS = 2 ** 47;

/**
 * Runs the supervisor of a state directory that belongs to no program: adopts what earlier daemons left, starts what
 * clients request, and ends when idle. A state directory has one daemon; a second one returns at once. SIGTERM, SIGINT
 * and SIGHUP end it and this program in order. A removed state directory is restored; when the directory around it was
 * removed, all processes are killed, including persistent ones, and the daemon ends.
 *
 * @throws TroupeError `state-directory`; the system's error where it cannot listen.
 */
export async function serveDaemon(options: DaemonOptions): Promise<DaemonEnd> {
  const { clock = createRealClock(), idleMs = DEFAULT_IDLE_MS, onReady } = options;
  const paths = toStatePaths(options.directory);
  const { directory } = paths;
  const registry = createFileSupervisorRegistry({ directory, clock });
  const releaseClaim = await claimDaemon(registry, clock);
  if (releaseClaim === null) return { type: 'notNeeded' };

  let socket: string | null = null;
  let restoreRecords = () => {};
  const settings: SupervisorOptions = {
    cwd: dirname(directory),
    handleSignals: true,
    maxBackgroundProcesses: MAX_BACKGROUND_PROCESSES,
    owner: SHELL_OWNER,
    recover: { owner: SHELL_OWNER },
    ...options.supervisor,
    stateDirectory: directory,
    clock,
  };
  const supervisor = createSupervisor(settings, {
    entry: () => ({ role: 'daemon', socket }),
    onCreated: ({ restore }) => {
      restoreRecords = restore;
    },
  });
  const asked = Promise.withResolvers<'asked'>();
  const workspace = Promise.withResolvers<'workspaceRemoved'>();
  let stopGuard: Cancel = () => {};
  const end = () => asked.resolve('asked');
  const idle = watchIdle(supervisor, { clock, idleMs });
  // Adopted processes are not children of this program, so a timer must keep it alive.
  const cancelKeepAlive = clock.at(clock.nowMs() + FOREVER_MS, () => {});
  let server: ControlServer | null = null;
  try {
    const socketPath = registry.makeSocketPath(supervisor.id);
    const deps = {
      socketPath,
      role: 'daemon',
      redactNames: noRedactedNames,
      attached: options.createAttached?.(supervisor) ?? null,
      onShutdown: end,
      onClients: idle.setClients,
    } as const;
    const served = await serveControl(supervisor, deps);
    server = served;
    socket = socketPath;
    registry.register({ id: supervisor.id, role: 'daemon', socket });
    stopGuard = guardEntry({
      ...{ clock, paths, socketPath, supervisorId: supervisor.id },
      restore: async () => {
        registry.makeSocketPath(supervisor.id);
        await served.reopen();
        restoreRecords();
      },
      onWorkspaceRemoved: () => workspace.resolve('workspaceRemoved'),
      reportError: (error) => process.emitWarning(toError(error)),
    });
    releaseClaim();
    onReady?.({ supervisor, end });
    const why = await Promise.race([asked.promise, idle.reached, workspace.promise]);
    if (why === 'workspaceRemoved') await killAll(supervisor);
    // An idle daemon has no clients; a client that connects now is refused and starts another daemon.
    if (why === 'idle') server.close();
    const report = await supervisor.shutdown();
    return { type: 'ended', why, report };
  } finally {
    releaseClaim();
    stopGuard();
    idle.cancel();
    await supervisor.shutdown();
    server?.close();
    registry.unregister(supervisor.id);
    cancelKeepAlive();
  }
}

/** Kills persistent processes too: no later program could find them. */
async function killAll(supervisor: Supervisor): Promise<void> {
  await Promise.all(
    supervisor
      .list()
      .filter(isAlive)
      .map(({ id }) => supervisor.kill(id)),
  );
}

/** Resolves when no process was alive and no client connected for `idleMs`. */
function watchIdle(
  supervisor: Supervisor,
  { clock, idleMs }: { clock: Clock; idleMs: number | null },
): { readonly reached: Promise<'idle'>; setClients(count: number): void; readonly cancel: Cancel } {
  const reached = Promise.withResolvers<'idle'>();
  let clients = 0;
  let disarm: Cancel | null = null;
  let isCancelled = false;

  const isBusy = () => clients > 0 || supervisor.list().some(keepsDaemonAlive);
  const look = () => {
    // Clients disconnect after the end, and then no timer may keep the program alive.
    if (isCancelled) return;
    const busy = isBusy();
    if (busy) disarm?.();
    if (busy) disarm = null;
    else if (idleMs !== null) disarm ??= clock.at(clock.nowMs() + idleMs, () => reached.resolve('idle'));
  };
  const subscription = supervisor.processes$.subscribe(look);

  return {
    reached: reached.promise,
    setClients: (count) => {
      clients = count;
      look();
    },
    cancel: () => {
      isCancelled = true;
      subscription.unsubscribe();
      disarm?.();
    },
  };
}

/** Tells whether the process is alive, or has leftovers that the daemon's end would kill. */
function keepsDaemonAlive(view: ProcessView): boolean {
  return isAlive(view) && (!('endedAt' in view) || view.lifetime !== 'persistent');
}

function isAlive(view: ProcessView): boolean {
  return !('endedAt' in view) || view.leftovers.length > 0;
}
