import { createRealClock } from '../clock/real-clock.ts';
import { toError } from '../config/error-text.ts';
import { createFileSupervisorRegistry } from '../store/file-supervisor-registry.ts';
import type { Ask } from '../policy/authorize.ts';
import { toStatePaths } from '../store/state-paths.ts';
import { createSupervisor } from '../supervisor/create-supervisor.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import type { SupervisorOptions } from '../supervisor/supervisor-options.ts';
import { type ControlServer, serveControl } from './control-server.ts';
import { guardEntry } from './guard-entry.ts';

/**
 * Creates a supervisor. With a state directory it can also be seen and steered from outside once it has its first process or schedule, through a
 * control socket there that is open to this user only (option `control`). Nothing is started, no file is written and nothing listens
 * before that; the shutdown closes it.
 *
 * A socket that cannot be opened is a warning: the supervisor does without. `ask` asks the person in front of this program, for agents that run as
 * programs of their own.
 *
 * @throws TroupeError `invalid-option`; `state-directory` where that is a link, belongs to another user, or can be written to by others;
 * `unsupported-platform` on Windows.
 */
export function createReachableSupervisor(
  options: SupervisorOptions = {},
  { ask = null }: { readonly ask?: Ask | null } = {},
): Supervisor {
  let server: Promise<ControlServer | null> | null = null;
  let isOver = false;
  let socket: string | null = null;
  let restoreRecords = () => {};
  const supervisor = createSupervisor(options, {
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

  const openSoon = () => {
    // After the start, which must not wait for it.
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
  if (supervisor.list({ live: true }).length > 0 || supervisor.schedules().length > 0) openSoon();

  return {
    ...supervisor,
    start: (spec) => {
      const handle = supervisor.start(spec);
      openSoon();
      return handle;
    },
    execute: (spec) => {
      const result = supervisor.execute(spec);
      openSoon();
      return result;
    },
    schedule: (wish) => {
      const view = supervisor.schedule(wish);
      openSoon();
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
    const roll = createFileSupervisorRegistry({
      directory: stateDirectory,
      ...(options.clock && { clock: options.clock }),
    });
    const socketPath = roll.makeSocketPath(id);
    const server = await serveControl(supervisor, {
      socketPath,
      role: 'program',
      redactNames: options.redactNames,
      ask,
    });
    // A shutdown that came meanwhile has left the roll already.
    if (isOver()) return server;
    onOpened(socketPath);
    roll.register({ id, role: 'program', socket: socketPath });
    const leavePlace = guardEntry({
      ...{ clock: options.clock ?? createRealClock(), paths: toStatePaths(stateDirectory) },
      ...{ supervisorId: id, socketPath },
      restore: async () => {
        roll.makeSocketPath(id);
        await server.reopen();
        restoreRecords();
      },
      reportError: (error) => process.emitWarning(toError(error)),
    });
    return {
      ...server,
      close: () => {
        leavePlace();
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
