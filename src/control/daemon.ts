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
import { claimDaemon } from './claim-daemon.ts';
import { type ControlServer, serveControl } from './control-server.ts';
import { guardEntry } from './guard-entry.ts';
import { SHELL_OWNER } from './protocol.ts';

interface DaemonOptions {
  /** The state directory. */
  readonly directory: string;
  /** It ends when it had neither a live process nor a client for so long. `null`: it stays. Default 10 s. */
  readonly idleMs?: number | null;
  readonly clock?: Clock;
  /** Of its supervisor; what a daemon decides for itself goes before it. */
  readonly supervisor?: SupervisorOptions;
  /** It can be asked from now on. Its end goes through `end`. */
  readonly onReady?: (daemon: { readonly supervisor: Supervisor; end(): void }) => void;
}

type DaemonEnd =
  /** The state directory has a daemon already; nothing was done. */
  | { readonly type: 'notNeeded' }
  | {
      readonly type: 'ended';
      /** `workspaceRemoved`: the directory around the state directory was removed, and all processes were killed. */
      readonly why: 'idle' | 'asked' | 'workspaceRemoved';
      readonly report: ShutdownReport;
    };

const DEFAULT_IDLE_MS = 10_000;

/** Of a person at a shell nobody thinks that the tenth process is one too many. */
const MAX_BACKGROUND_PROCESSES = 1_000;

/** What a person starts has that person's environment, keys and all: no model asks for it here. */
const everyNameIsPassedOn: string[] = [];

/** Longer than any program runs. */
const FOREVER_MS = 2 ** 47;

/**
 * Is the supervisor of a state directory that belongs to no program: it takes over what earlier ones of its kind have left, starts what clients ask for,
 * and ends by itself when there is nothing to do. There is one for each state directory; whoever comes second has nothing to do.
 * SIGTERM, SIGINT and SIGHUP end it and this program in order. A state directory that is removed under it is restored; where the directory around
 * it was removed, everything is killed, persistent processes as well, and it ends.
 *
 * @throws TroupeError `state-directory`; what the system says where it cannot listen.
 */
export async function serveDaemon(options: DaemonOptions): Promise<DaemonEnd> {
  const { clock = createRealClock(), idleMs = DEFAULT_IDLE_MS, onReady } = options;
  const paths = toStatePaths(options.directory);
  const { directory } = paths;
  const roll = createFileSupervisorRegistry({ directory, clock });
  const leaveClaim = await claimDaemon(roll, clock);
  if (leaveClaim === null) return { type: 'notNeeded' };

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
  let leavePlace: Cancel = () => {};
  const end = () => asked.resolve('asked');
  const idle = watchIdle(supervisor, { clock, idleMs });
  // A process that was taken over is nobody's child here: something of ours must keep the program.
  const letGo = clock.at(clock.nowMs() + FOREVER_MS, () => {});
  let server: ControlServer | null = null;
  try {
    const socketPath = roll.makeSocketPath(supervisor.id);
    const deps = {
      socketPath,
      role: 'daemon',
      redactNames: everyNameIsPassedOn,
      onShutdown: end,
      onClients: idle.setClients,
    } as const;
    const served = await serveControl(supervisor, deps);
    server = served;
    socket = socketPath;
    roll.register({ id: supervisor.id, role: 'daemon', socket });
    leavePlace = guardEntry({
      ...{ clock, paths, socketPath, supervisorId: supervisor.id },
      restore: async () => {
        roll.makeSocketPath(supervisor.id);
        await served.reopen();
        restoreRecords();
      },
      onWorkspaceRemoved: () => workspace.resolve('workspaceRemoved'),
      reportError: (error) => process.emitWarning(toError(error)),
    });
    leaveClaim();
    onReady?.({ supervisor, end });
    const why = await Promise.race([asked.promise, idle.reached, workspace.promise]);
    if (why === 'workspaceRemoved') await killAll(supervisor);
    // Who is idle has no clients: whoever comes now is refused, and starts another one.
    if (why === 'idle') server.close();
    const report = await supervisor.shutdown();
    return { type: 'ended', why, report };
  } finally {
    leaveClaim();
    leavePlace();
    idle.cancel();
    await supervisor.shutdown();
    server?.close();
    roll.unregister(supervisor.id);
    letGo();
  }
}

/** Also what is persistent: no process would find it again. */
async function killAll(supervisor: Supervisor): Promise<void> {
  await Promise.all(
    supervisor
      .list()
      .filter(isAlive)
      .map(({ id }) => supervisor.kill(id)),
  );
}

/** Tells when nothing was alive and nobody connected for so long. */
function watchIdle(
  supervisor: Supervisor,
  { clock, idleMs }: { clock: Clock; idleMs: number | null },
): { readonly reached: Promise<'idle'>; setClients(count: number): void; readonly cancel: Cancel } {
  const reached = Promise.withResolvers<'idle'>();
  let clients = 0;
  let disarm: Cancel | null = null;
  let isCancelled = false;

  const isBusy = () => clients > 0 || supervisor.list().some(isHeld);
  const look = () => {
    // Clients leave when it has ended, and then nothing must keep the program.
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

/** Alive, or with something alive that it left behind and that the end of the daemon would end. */
function isHeld(view: ProcessView): boolean {
  return isAlive(view) && (!('endedAt' in view) || view.lifetime !== 'persistent');
}

function isAlive(view: ProcessView): boolean {
  return !('endedAt' in view) || view.leftovers.length > 0;
}
