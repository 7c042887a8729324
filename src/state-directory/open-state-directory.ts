import type { Clock } from '../clock/clock.ts';
import { QUICK } from '../control/protocol.ts';
import {
  type AskSupervisor,
  createAsk,
  createDirectoryDeps,
  type DirectoryDeps,
  toPlain,
} from './directory-deps.ts';
import { listDirectory, viewRecorded } from './list-directory.ts';
import { createProcessCalls } from './process-calls.ts';
import type { StateDirectory } from './state-directory.ts';
import { createTerminalCalls } from './terminal-calls.ts';
import { createWatchAndScheduleCalls } from './watches-and-schedules.ts';

/** Opens the processes of a state directory for use from outside. Nothing is read before the first call. */
export function openStateDirectory(options: {
  readonly directory: string;
  readonly clock?: Clock;
  /** Starts the daemon of the directory. Without it, calls that need a daemon are refused. */
  readonly startDaemon?: () => Promise<void>;
}): StateDirectory {
  const deps = createDirectoryDeps(options);
  const { peers, paths } = deps;

  const ask = createAsk(deps);

  return {
    path: paths.directory,
    list: (listOptions) => listDirectory(deps, listOptions),
    show: (id) => show(deps, { ask, id }),
    read: (id, readOptions = {}) =>
      ask(
        { id, method: 'read', params: { id, options: toPlain(readOptions) } },
        {
          options: QUICK,
          orElse: async (it) => {
            const { readRecorded } = await import('./recorded-log.ts');
            return readRecorded(deps, { it, readOptions });
          },
        },
      ),
    times: (id) =>
      ask(
        { id, method: 'times', params: { id } },
        {
          options: QUICK,
          orElse: async (it) => {
            const { readRecordedTimes } = await import('./recorded-log.ts');
            return readRecordedTimes(deps, it);
          },
        },
      ),
    follow: async function* (id, { from, signal }) {
      const { followProcess } = await import('./follow-process.ts');
      yield* followProcess(deps, { id, from, signal });
    },
    wait: async (id, { signal } = {}) => {
      const { waitProcess } = await import('./wait-for-process.ts');
      return waitProcess(deps, { id, signal });
    },
    waitFor: async (id, order, { signal } = {}) => {
      const { waitForProcess } = await import('./wait-for-process.ts');
      return waitForProcess(deps, { id, order, signal });
    },
    events: async function* (options) {
      const { streamEvents } = await import('./stream-events.ts');
      yield* streamEvents(deps, options);
    },
    ...createProcessCalls(deps, ask),
    ...createTerminalCalls(deps, ask),
    ...createWatchAndScheduleCalls(deps, ask),
    sweep: async ({ all = false, dryRun = false } = {}) => {
      const { sweepDirectory } = await import('./sweep-directory.ts');
      return sweepDirectory(deps, { all, dryRun });
    },
    close: () => peers.close(),
  };
}

async function show(
  deps: DirectoryDeps,
  { ask, id }: { ask: AskSupervisor; id: string },
): ReturnType<StateDirectory['show']> {
  const found = await deps.find(id);
  const shown = await ask(
    { id, method: 'show', params: { id } },
    { options: QUICK, orElse: async (it) => it },
  );
  if ('timeline' in shown) {
    return { ...shown, supervisorId: found.type === 'supervised' ? found.peer.id : '', answered: true };
  }
  const { timeline, supervisorId } = shown.record;
  return { view: await viewRecorded(deps, shown), timeline, supervisorId, answered: false };
}
