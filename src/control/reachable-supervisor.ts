import { createRealClock } from '../clock/real-clock.ts';
import { toError } from '../config/error-text.ts';
import { startGroup } from '../groups/create-group.ts';
import type { Ask } from '../policy/authorize.ts';
import { createFileSupervisorRegistry } from '../store/file-supervisor-registry.ts';
import { toStatePaths } from '../store/state-paths.ts';
import { createSupervisor, type SupervisorHooks } from '../supervisor/create-supervisor.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import type { SupervisorOptions } from '../supervisor/supervisor-options.ts';
import type { ControlServer } from './control-server.ts';

/**
 * Creates a supervisor. With a state directory it can also be seen and controlled from outside once it has its first
 * process or schedule, through a control socket there that only this user can open (option `control`). Before that
 * nothing is started, written or listened on; the shutdown closes the socket.
 *
 * A socket that cannot be opened causes a warning, and the supervisor works without it. `ask` asks the person in front
 * of this program, on behalf of agents in other programs.
 *
 * @throws TroupeError `invalid-option`; `state-directory` where that is a link, belongs to another user, or is
 * writable by others; `unsupported-platform` on Windows.
 */
export function createReachableSupervisor(
  options: SupervisorOptions = {},
  { ask = null }: { readonly ask?: Ask | null } = {},
): Supervisor {
  return openReachableSupervisor(options, { ask });
}

/** Creates a supervisor like `createReachableSupervisor`, with replaceable sources of random values and system checks. */
export function openReachableSupervisor(
  options: SupervisorOptions,
  { ask, ...hooks }: { readonly ask: Ask | null } & Pick<SupervisorHooks, 'system' | 'adoptsToStop'>,
): Supervisor {
  let server: Promise<ControlServer | null> | null = null;
  let isOver = false;
  let socket: string | null = null;
  let restoreRecords = () => {};
  const supervisor = createSupervisor(options, {
    ...hooks,
    entry: () => ({ role: 'program', socket }),
    onCreated: ({ restore }) => {
      restoreRecords = restore;
    },
    onStopping: () => {
      isOver = true;
    },
    onStopped: async () => (await server)?.close(),
  });
  const { stateDirectory } = supervisor;
  if (stateDirectory === null || options.control === false) return supervisor;

  const openDeferred = () => {
    // Deferred: the start must not wait for it.
    server ??= nextTurn().then(() =>
      isOver
        ? null
        : open(supervisor, {
            ...{ stateDirectory, options, ask, isOver: () => isOver },
            onOpened: (path) => {
              socket = path;
            },
            restoreRecords: () => restoreRecords(),
          }),
    );
  };
  if (
    hooks.adoptsToStop !== undefined ||
    supervisor.list({ live: true }).length > 0 ||
    supervisor.schedules().length > 0
  )
    openDeferred();

  const start: Supervisor['start'] = (spec) => {
    const handle = supervisor.start(spec);
    openDeferred();
    return handle;
  };
  return {
    ...supervisor,
    start,
    startGroup: (group) => startGroup({ start }, group),
    execute: (spec) => {
      const result = supervisor.execute(spec);
      openDeferred();
      return result;
    },
    schedule: (wish) => {
      const view = supervisor.schedule(wish);
      openDeferred();
      return view;
    },
  };
}

async function open(
  supervisor: Supervisor,
  {
    stateDirectory,
    options,
    ask,
    isOver,
    onOpened,
    restoreRecords,
  }: {
    stateDirectory: string;
    options: SupervisorOptions;
    ask: Ask | null;
    isOver: () => boolean;
    onOpened: (socketPath: string) => void;
    restoreRecords: () => void;
  },
): Promise<ControlServer | null> {
  const { id } = supervisor;
  try {
    // Loaded here: a supervisor without a state directory never serves.
    const { serveControl } = await import('./control-server.ts');
    const { guardEntry } = await import('./guard-entry.ts');
    if (isOver()) return null;
    const registry = createFileSupervisorRegistry({
      directory: stateDirectory,
      ...(options.clock && { clock: options.clock }),
    });
    const socketPath = registry.makeSocketPath(id);
    const server = await serveControl(supervisor, {
      socketPath,
      role: 'program',
      redactNames: options.redactNames,
      ask,
    });
    if (isOver()) {
      server.close();
      // Without an entry the shutdown is past the point where it removes the socket and its directory.
      if (registry.stateOf(id) === 'dead') registry.unregister(id);
      return null;
    }
    onOpened(socketPath);
    registry.register({ id, role: 'program', socket: socketPath });
    const stopGuard = guardEntry({
      ...{ clock: options.clock ?? createRealClock(), paths: toStatePaths(stateDirectory) },
      ...{ supervisorId: id, socketPath },
      restore: async () => {
        registry.makeSocketPath(id);
        await server.reopen();
        restoreRecords();
      },
      reportError: (error) => process.emitWarning(toError(error)),
    });
    return {
      ...server,
      close: () => {
        stopGuard();
        server.close();
      },
    };
  } catch (error) {
    const message = `Supervisor ${id} cannot be reached from outside, its control socket could not be opened: ${toError(error).message}`;
    process.emitWarning(message, 'TroupeControlWarning');
    return null;
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
