import type { WriteResult } from '../../machines/process/events.ts';
import type { Clock } from '../clock/clock.ts';
import { pause } from '../clock/pause.ts';
import { createRealClock } from '../clock/real-clock.ts';
import { nearest } from '../config/nearest.ts';
import { quote } from '../config/quote.ts';
import { TroupeError } from '../config/troupe-error.ts';
import {
  type AskMethod,
  type CallOptions,
  type ControlParams,
  type ControlResults,
  isCode,
  isDaemonOwner,
  isPeer,
  type Peer,
} from '../control/protocol.ts';
import { describeEnd } from '../process/describe-end.ts';
import type { SignalAnswer } from '../process/process-handle.ts';
import type { ProcessRecord } from '../process/process-record.ts';
import type { FinalView } from '../process/process-view.ts';
import { readRecord } from '../process/read-record.ts';
import type { ProcessTable, TableScope } from '../spawn/tree/process-table.ts';
import { readTableScope } from '../spawn/tree/table-scope.ts';
import { createFileRecordStore } from '../store/file-record-store.ts';
import { createFileSupervisorRegistry } from '../store/file-supervisor-registry.ts';
import { isRecordId } from '../store/record-id.ts';
import type { RecordStore } from '../store/record-store.ts';
import { type StatePaths, toStatePaths } from '../store/state-paths.ts';
import type { SupervisorEntry, SupervisorRegistry, SupervisorState } from '../store/supervisor-registry.ts';
import { createPeers, type Peers } from './peers.ts';
import type { ResolvedStatus } from './resolve-status.ts';

/** Source of information about a process: its supervisor or its record. */
export type ProcessLocation = { readonly type: 'supervised'; readonly peer: Peer } | Recorded;

/** Process whose supervisor cannot be asked; only its record is available. */
export interface Recorded {
  readonly type: 'recorded';
  readonly record: ProcessRecord;
  readonly state: SupervisorState;
}

/** Dependencies that operations on a state directory share. */
export interface DirectoryDeps {
  readonly clock: Clock;
  readonly paths: StatePaths;
  readonly store: RecordStore<ProcessRecord>;
  readonly registry: SupervisorRegistry;
  readonly peers: Peers;
  readonly here: TableScope;
  /** @throws TroupeError `not-found` */
  find(id: string): Promise<ProcessLocation>;
  resolveStatus(record: ProcessRecord): Promise<ResolvedStatus>;
  /** @throws TroupeError `unsupported-platform` */
  openTable(): Promise<ProcessTable>;
  /**
   * Starts the daemon for a live process that was started from a shell and lost its supervisor, once per process.
   * Returns `false` where that would change nothing.
   *
   * @throws TroupeError `unreachable` where the daemon cannot be started.
   */
  revive(it: Recorded): Promise<boolean>;
  /**
   * Tells whether a request failed because its supervisor has ended or is ending: it has closed its socket, or
   * detached the processes that outlive it. Waits briefly for its end.
   */
  hasPeerEnded(error: unknown, peer: Peer): Promise<boolean>;
}

/** Time for a supervisor to end after it has closed its socket. */
const ENDING_MS = 500;
const LOOK_MS = 20;

/** Time for a supervisor to say whether it has a process. */
const SEARCH_MS = 2_000;

export function createDirectoryDeps(options: {
  readonly directory: string;
  readonly clock?: Clock | undefined;
  readonly startDaemon?: (() => Promise<void>) | undefined;
}): DirectoryDeps {
  const { clock = createRealClock(), startDaemon } = options;
  const paths = toStatePaths(options.directory);
  const store = createFileRecordStore({ directory: paths.processes, parse: readRecord, clock });
  const registry = createFileSupervisorRegistry({ directory: paths.directory, clock });
  const peers = createPeers(registry);
  const here = readTableScope();

  let table: Promise<ProcessTable> | null = null;
  const openTable = () => {
    table ??= Promise.all([
      import('../spawn/tree/current-table.ts'),
      import('../spawn/tree/scoped-table.ts'),
    ]).then(([{ createCurrentTable }, { createMarks, createScopedTable }]) =>
      createScopedTable(createCurrentTable(), createMarks(paths)),
    );
    return table;
  };

  const find = async (id: string): Promise<ProcessLocation> => {
    const record = isRecordId(id) ? store.read(id) : null;
    if (record === null) return search(id);
    const entry = findEntry(registry, record.supervisorId);
    const isAlive = entry?.state === 'alive';
    if (isAlive && isPeer(entry.entry)) return { type: 'supervised', peer: entry.entry };
    return { type: 'recorded', record, state: entry?.state ?? registry.stateOf(record.supervisorId) };
  };

  /**
   * Asks all supervisors: a record is written shortly after the events it describes, so a process may not have one
   * yet.
   */
  const search = async (id: string): Promise<ProcessLocation> => {
    const silent: string[] = [];
    const asked = peers.list().map(async (peer) => {
      try {
        await peers.ask(peer, { method: 'show', params: { id } }, { deadlineMs: SEARCH_MS });
        return peer;
      } catch (error) {
        if (isCode(error, 'unreachable')) silent.push(peer.id);
        return null;
      }
    });
    const holder = (await Promise.all(asked)).find((peer) => peer !== null);
    if (holder !== undefined) return { type: 'supervised', peer: holder };
    throw notFound(id, { paths, store, silent });
  };

  const resolveRecord = async (record: ProcessRecord): Promise<ResolvedStatus> => {
    const { view } = record;
    // Most processes have ended; listing a thousand of them must not load more modules.
    if ('endedAt' in view && view.leftovers.length === 0) return { type: 'ended', view };
    const { resolveStatus } = await import('./resolve-status.ts');
    return resolveStatus(record, { here, clock, table: openTable });
  };

  const revived = new Set<string>();
  const revive = async ({ record, state }: Recorded): Promise<boolean> => {
    const { id, owner } = record.view;
    const isForDaemon = state === 'dead' && record.revival !== null && isDaemonOwner(owner);
    if (startDaemon === undefined || !isForDaemon || revived.has(id)) return false;
    if ((await resolveRecord(record)).type !== 'orphaned') return false;
    revived.add(id);
    await startDaemon();
    return true;
  };

  return {
    clock,
    paths,
    store,
    registry,
    peers,
    here,
    find,
    resolveStatus: resolveRecord,
    revive,
    openTable,
    hasPeerEnded: async (error, peer) => {
      if (!isCode(error, 'unreachable') && !isCode(error, 'not-found')) return false;
      const untilMs = clock.nowMs() + ENDING_MS;
      while (registry.stateOf(peer.id) === 'alive') {
        if (clock.nowMs() > untilMs) return false;
        await pause(clock, { ms: LOOK_MS });
      }
      return true;
    },
  };
}

/** Returns the recorded end, or the end that can be proven without a record of it; otherwise `null`. */
export async function findEnd(
  deps: DirectoryDeps,
  { record, state }: { record: ProcessRecord; state: SupervisorState },
): Promise<FinalView | null> {
  if ('endedAt' in record.view) return record.view;
  if (state !== 'dead') return null;
  const resolved = await deps.resolveStatus(record);
  return resolved.type === 'ended' ? resolved.view : null;
}

function findEntry(
  registry: SupervisorRegistry,
  supervisorId: string,
): { readonly entry: SupervisorEntry; readonly state: SupervisorState } | undefined {
  return registry.list().find(({ entry }) => entry.id === supervisorId);
}

function notFound(
  id: string,
  {
    paths,
    store,
    silent,
  }: { paths: StatePaths; store: RecordStore<ProcessRecord>; silent: readonly string[] },
): TroupeError {
  const { records, damaged } = store.load();
  const broken = damaged.find(({ name }) => isRecordId(id) && name === paths.recordOf(id));
  const meant = nearest(
    id.slice(0, 100),
    records.map(({ view }) => view.id),
  );
  const hints = [
    broken === undefined ? null : `Its record ${broken.name} cannot be used: ${broken.why}.`,
    meant === null ? null : `Did you mean ${meant}?`,
    silent.length === 0 ? null : `Not asked, because they do not answer: ${silent.join(', ')}.`,
  ].filter((hint) => hint !== null);
  const message = `There is no process ${quote(id)} in ${paths.directory}.`;
  return new TroupeError({ code: 'not-found', message: [message, ...hints].join(' ') });
}

/**
 * Asks the supervisor of a process. Where there is none, or it ends meanwhile, `orElse` receives the record. With
 * `revives` a missing daemon is started first, because only a supervisor can fulfil the request.
 */
export type AskSupervisor = <M extends AskMethod, Other>(
  call: { readonly id: string; readonly method: M; readonly params: ControlParams<M> },
  how: {
    readonly options?: CallOptions;
    readonly revives?: boolean;
    readonly orElse: (recorded: Recorded) => Promise<Other>;
  },
) => Promise<ControlResults[M] | Other>;

export function createAsk(deps: DirectoryDeps): AskSupervisor {
  return async (call, { options, revives = false, orElse }) => {
    while (true) {
      const found = await deps.find(call.id);
      if (found.type === 'recorded') {
        if (revives && (await deps.revive(found))) continue;
        return orElse(found);
      }
      try {
        return await deps.peers.ask(found.peer, call, options);
      } catch (error) {
        if (!(await deps.hasPeerEnded(error, found.peer))) throw error;
      }
    }
  };
}

/** Casts options for JSON, where `undefined` fields are absent. */
export function toPlain<T>(options: T): never {
  return options as never;
}

/** @throws TroupeError `unreachable` for a live process whose supervisor cannot be asked. */
export async function refuseInput(deps: DirectoryDeps, it: Recorded): Promise<WriteResult> {
  const { id } = it.record.view;
  const isOver = (await findEnd(deps, it)) !== null;
  if (!isOver && (it.state !== 'dead' || it.record.view.terminal?.type === 'terminal'))
    throw unreachableError(it);
  return {
    ok: false,
    bytesWritten: 0,
    code: isOver ? 'notRunning' : 'closed',
    error: isOver
      ? `Process ${id} is not running.`
      : `The input of process ${id} is closed: it ended with the supervisor that started it.`,
  };
}

/**
 * Returns `false` for an ended process, which cannot be changed.
 *
 * @throws TroupeError `unreachable` otherwise.
 */
export async function refuseUnlessEnded(deps: DirectoryDeps, it: Recorded): Promise<boolean> {
  if ((await findEnd(deps, it)) !== null) return false;
  throw unreachableError(it);
}

/**
 * Refuses to signal an ended process. Without a supervisor nothing would continue a paused process, or record the signal.
 *
 * @throws TroupeError `unreachable` for any other.
 */
export async function refuseSignal(deps: DirectoryDeps, it: Recorded): Promise<SignalAnswer> {
  const end = await findEnd(deps, it);
  if (end === null) throw unreachableError(it);
  const message = `Process ${end.id} was not signalled: it ${describeEnd(end.reason, end.exit)}.`;
  return { ok: false, code: 'ended', message };
}

export function unreachableError({ record, state }: Recorded): TroupeError {
  const { id, owner } = record.view;
  const heir = isDaemonOwner(owner)
    ? 'start `troupe serve`, which adopts it, and try again'
    : `the next program of its owner ${quote(owner)} with this state directory adopts it`;
  const why = {
    alive: `its supervisor ${record.supervisorId} listens on no control socket (its option "control" is false, or it has just begun): use its own program`,
    elsewhere: `its supervisor ${record.supervisorId} is out of reach of this program, perhaps in a container: go there`,
    dead: `it has no supervisor now: ${heir}`,
  }[state];
  return new TroupeError({ code: 'unreachable', message: `Process ${id} cannot be reached: ${why}.` });
}
