import type { WriteResult } from '../../machines/process/events.ts';
import type { Clock } from '../clock/clock.ts';
import { pause } from '../clock/pause.ts';
import { LONG, MAX_PIECE_BYTES, QUICK } from '../control/protocol.ts';
import {
  type AskSupervisor,
  createAsk,
  createDirectoryDeps,
  type DirectoryDeps,
  type Recorded,
  refuseInput,
  refuseSignal,
  refuseUnlessEnded,
  unreachableError,
} from './directory-deps.ts';
import { listDirectory } from './list-directory.ts';
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
    kill: async (id, killOptions = {}) => {
      while (true) {
        const killed = await ask(
          { id, method: 'kill', params: { id, options: toPlain(killOptions) } },
          { options: LONG, orElse: (it) => kill(deps, { it, killOptions }) },
        );
        if (killed !== null) return killed;
      }
    },
    write: (id, data) => write(deps, { ask, id, data }),
    events: async function* (options) {
      const { streamEvents } = await import('./stream-events.ts');
      yield* streamEvents(deps, options);
    },
    ...createTerminalCalls(deps, ask),
    ...createWatchAndScheduleCalls(deps, ask),
    endInput: (id) =>
      ask(
        { id, method: 'endInput', params: { id } },
        { options: LONG, revives: true, orElse: (it) => refuseInput(deps, it) },
      ),
    signal: (id, options) =>
      ask(
        { id, method: 'signal', params: { id, options: toPlain(options) } },
        { options: LONG, revives: true, orElse: (it) => refuseSignal(deps, it) },
      ),
    pause: (id) =>
      ask(
        { id, method: 'pause', params: { id } },
        { options: LONG, revives: true, orElse: (it) => refuseSignal(deps, it) },
      ),
    resume: (id) =>
      ask(
        { id, method: 'resume', params: { id } },
        { options: LONG, revives: true, orElse: (it) => refuseSignal(deps, it) },
      ),
    restart: (id) =>
      ask(
        { id, method: 'restart', params: { id } },
        { options: QUICK, revives: true, orElse: (it) => refuseUnlessEnded(deps, it) },
      ),
    background: (id) =>
      ask(
        { id, method: 'background', params: { id } },
        { options: QUICK, revives: true, orElse: (it) => refuseUnlessEnded(deps, it) },
      ),
    changeLimits: (id, changes) =>
      ask(
        { id, method: 'changeLimits', params: { id, changes } },
        { options: QUICK, revives: true, orElse: (it) => refuseUnlessEnded(deps, it) },
      ),
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
  const { record, state } = shown;
  const view = state === 'dead' ? (await deps.resolveStatus(record)).view : record.view;
  return { view, timeline: record.timeline, supervisorId: record.supervisorId, answered: false };
}

/** Writes the data in pieces that fit into a request each. */
async function write(
  deps: DirectoryDeps,
  { ask, id, data }: { ask: AskSupervisor; id: string; data: Uint8Array },
): Promise<WriteResult> {
  let bytesWritten = 0;
  // At least one call, so that an empty write still reports a missing process.
  for (let at = 0; at === 0 || at < data.byteLength; at += MAX_PIECE_BYTES) {
    const piece = Buffer.from(data.subarray(at, at + MAX_PIECE_BYTES)).toString('base64');
    const call = { id, method: 'write', params: { id, data: piece } } as const;
    const result = await ask(call, {
      options: LONG,
      revives: true,
      orElse: (it) => refuseInput(deps, it),
    });
    bytesWritten += result.bytesWritten;
    if (!result.ok) return { ...result, bytesWritten };
  }
  return { ok: true, bytesWritten };
}

/** Time that a supervisor may take to open its control socket. */
const OPENING_MS = 2_000;
const LOOK_MS = 20;

/** Returns `true`, after a pause, for a supervisor that was created a moment ago: it may have adopted the process for another kill. */
async function mayListenSoon({ clock, registry }: DirectoryDeps, { record }: Recorded): Promise<boolean> {
  const found = registry.list().find(({ entry }) => entry.id === record.supervisorId);
  if (found?.state !== 'alive' || clock.epochMs() - found.entry.since > OPENING_MS) return false;
  await pause(clock, { ms: LOOK_MS });
  return true;
}

/** Casts options for JSON, where `undefined` fields are absent. */
function toPlain<T>(options: T): never {
  return options as never;
}

async function kill(
  deps: DirectoryDeps,
  { it, killOptions }: { it: Recorded; killOptions: Parameters<StateDirectory['kill']>[1] & {} },
) {
  const { view } = it.record;
  if (it.state !== 'dead') {
    if (await mayListenSoon(deps, it)) return null;
    // Only the live supervisor may touch the leftovers of the process.
    if (!('endedAt' in view) || view.leftovers.length > 0) throw unreachableError(it);
    const { toNotRunning } = await import('../process/kill-process.ts');
    return toNotRunning(view, deps.clock.epochMs());
  }
  const { killOrphan } = await import('./kill-orphan.ts');
  return killOrphan(deps, { record: it.record, options: killOptions });
}
