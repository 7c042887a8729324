import type { Clock } from '../clock/clock.ts';
import { pause } from '../clock/pause.ts';
import { createRealClock } from '../clock/real-clock.ts';
import { nearest } from '../config/nearest.ts';
import { quote } from '../config/quote.ts';
import { TroupeError } from '../config/troupe-error.ts';
import { isCode, isPeer, type Peer, SHELL_OWNER } from '../control/protocol.ts';
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

/** Who can say something of a process. */
export type ProcessLocation = { readonly type: 'supervised'; readonly peer: Peer } | Recorded;

/** A process that no supervisor can be asked about: its record must do. */
export interface Recorded {
  readonly type: 'recorded';
  readonly record: ProcessRecord;
  readonly state: SupervisorState;
}

/** What all that is done with a state directory from outside stands on. */
export interface DirectoryDeps {
  readonly clock: Clock;
  readonly paths: StatePaths;
  readonly store: RecordStore<ProcessRecord>;
  readonly roll: SupervisorRegistry;
  readonly peers: Peers;
  readonly here: TableScope;
  /** @throws TroupeError `not-found` */
  find(id: string): Promise<ProcessLocation>;
  resolveStatus(record: ProcessRecord): Promise<ResolvedStatus>;
  /** @throws TroupeError `unsupported-platform` */
  openTable(): Promise<ProcessTable>;
  /**
   * Starts the daemon where a process is alive, was started from a shell, and lost its supervisor; once for each process. `false` where that
   * would change nothing.
   *
   * @throws TroupeError `unreachable` where the daemon cannot be started.
   */
  revive(it: Recorded): Promise<boolean>;
  /**
   * Whether a request failed because its supervisor has ended or is about to: then it has closed its socket, or let go of what
   * outlives it. For its end a moment is waited.
   */
  hasPeerEnded(error: unknown, peer: Peer): Promise<boolean>;
}

/** A supervisor that has closed its socket is about to end. */
const ENDING_MS = 500;
const LOOK_MS = 20;

/** So long a supervisor is given to say whether it has a process. */
const SEARCH_MS = 2_000;

export function createDirectoryDeps(options: {
  readonly directory: string;
  readonly clock?: Clock | undefined;
  readonly startDaemon?: (() => Promise<void>) | undefined;
}): DirectoryDeps {
  const { clock = createRealClock(), startDaemon } = options;
  const paths = toStatePaths(options.directory);
  const store = createFileRecordStore({ directory: paths.processes, parse: readRecord, clock });
  const roll = createFileSupervisorRegistry({ directory: paths.directory, clock });
  const peers = createPeers(roll);
  const here = readTableScope();

  let table: Promise<ProcessTable> | null = null;
  const openTable = () => {
    table ??= import('../spawn/tree/current-table.ts').then(({ createCurrentTable }) => createCurrentTable());
    return table;
  };

  const find = async (id: string): Promise<ProcessLocation> => {
    const record = isRecordId(id) ? store.read(id) : null;
    if (record === null) return search(id);
    const entry = findEntry(roll, record.supervisorId);
    const isAlive = entry?.state === 'alive';
    if (isAlive && isPeer(entry.entry)) return { type: 'supervised', peer: entry.entry };
    return { type: 'recorded', record, state: entry?.state ?? roll.stateOf(record.supervisorId) };
  };

  /** What has no record may be known all the same: records are written a moment after what they tell. */
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
    // Most have ended, and who lists a thousand of them loads nothing for that.
    if ('endedAt' in view && view.leftovers.length === 0) return { type: 'ended', view };
    const { resolveStatus: judgeRecord } = await import('./resolve-status.ts');
    return judgeRecord(record, { here, nowAt: clock.epochMs(), table: openTable });
  };

  const revived = new Set<string>();
  const revive = async ({ record, state }: Recorded): Promise<boolean> => {
    const { id, owner } = record.view;
    const isForDaemon = state === 'dead' && record.revival !== null && owner === SHELL_OWNER;
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
    roll,
    peers,
    here,
    find,
    resolveStatus: resolveRecord,
    revive,
    openTable,
    hasPeerEnded: async (error, peer) => {
      if (!isCode(error, 'unreachable') && !isCode(error, 'not-found')) return false;
      const untilMs = clock.nowMs() + ENDING_MS;
      while (roll.stateOf(peer.id) === 'alive') {
        if (clock.nowMs() > untilMs) return false;
        await pause(clock, { ms: LOOK_MS });
      }
      return true;
    },
  };
}

/** The end as it is written down, or as far as it can be proven where nobody was there to write it down. */
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
  roll: SupervisorRegistry,
  supervisorId: string,
): { readonly entry: SupervisorEntry; readonly state: SupervisorState } | undefined {
  return roll.list().find(({ entry }) => entry.id === supervisorId);
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
    silent.length === 0 ? null : `Not asked, as they do not answer: ${silent.join(', ')}.`,
  ].filter((hint) => hint !== null);
  const message = `There is no process ${quote(id)} in ${paths.directory}.`;
  return new TroupeError({ code: 'not-found', message: [message, ...hints].join(' ') });
}
