import { toErrorText } from '../config/error-text.ts';
import type { ProcessRecord } from '../process/process-record.ts';
import type { FinalView } from '../process/process-view.ts';
import { hasPendingNotice } from '../process/timeline.ts';
import type { DamagedRecord } from '../store/record-store.ts';
import { adoptEnded, adoptLive, adoptToStop, loadEnded, type Recovery } from './adopt-records.ts';
import { lockDirectory } from './lock-directory.ts';
import { partitionAdoptable } from './partition-adoptable.ts';
import type { Runtime } from './runtime.ts';
import type { SupervisorDeps } from './supervisor-deps.ts';
import { isPastRetention } from './sweep.ts';
import { unregisterDead } from './unregister-dead.ts';

/** Processes of earlier supervisors that a supervisor found at its creation. */
export interface RecoveryReport {
  /** Ids of adopted persistent processes. Each one continues here or turns out to have ended. */
  readonly adopted: readonly string[];
  /** Ids of processes that died with their supervisor. */
  readonly lost: readonly string[];
  /** Number of processes that had ended before and are still listed. */
  readonly ended: number;
  /** Unusable records, which are left as they are. */
  readonly damaged: readonly DamagedRecord[];
  /**
   * Sentences that explain what was not adopted, why, and what to do; `null` if everything was adopted. The supervisor works in any case,
   * and records that were not adopted are unchanged.
   */
  readonly problem: string | null;
}

export const nothingRecovered: RecoveryReport = {
  adopted: [],
  lost: [],
  ended: 0,
  damaged: [],
  problem: null,
};

/**
 * Adopts the processes of earlier supervisors of the state directory. Records of supervisors that are alive, or whose state is unknown, are
 * not touched. Reading is synchronous, so that a new supervisor has all of its processes at once. Never throws: the report names what
 * cannot be read or locked.
 */
export function recover(runtime: Runtime, deps: SupervisorDeps): RecoveryReport {
  return reportErrors(() => recoverOrThrow(runtime, deps));
}

/** Adopts one process of a dead supervisor so that it can be stopped. */
export function recoverToStop(
  id: string,
  { runtime, deps }: { readonly runtime: Runtime; readonly deps: SupervisorDeps },
): RecoveryReport {
  return reportErrors(() => {
    const damaged: DamagedRecord[] = [];
    const record = deps.store?.read(id) ?? null;
    const { problem } = adoptAll(record === null ? [] : [record], {
      ...toRecovery(damaged, { runtime, deps }),
      isOrphan: createOrphanTest(deps),
      adoptOne: adoptToStop,
    });
    return { ...nothingRecovered, damaged, problem };
  });
}

function reportErrors(work: () => RecoveryReport): RecoveryReport {
  try {
    return work();
  } catch (error) {
    return { ...nothingRecovered, problem: `Nothing was adopted: ${toErrorText(error)}` };
  }
}

function recoverOrThrow(runtime: Runtime, deps: SupervisorDeps): RecoveryReport {
  const { store } = deps;
  if (store === null) return nothingRecovered;
  const isOrphan = createOrphanTest(deps);
  const found = store.load();
  // In the order of creation.
  const orphans = found.records
    .filter(({ supervisorId, view: { owner } }) => isOrphan({ supervisorId, owner }))
    .toSorted((one, other) => one.view.createdAt - other.view.createdAt);
  const damaged: DamagedRecord[] = [...found.damaged];
  const recovery = toRecovery(damaged, { runtime, deps });
  const ended = loadAllEnded(orphans.filter(isOver), recovery);
  // Done before taking the lock: looking for tmux may take seconds.
  const { adoptable, problems } = partitionAdoptable(
    orphans.filter((record) => !isOver(record) || hasPendingNotice(record)),
    deps,
  );
  const adoptOne = (record: ProcessRecord) =>
    isOver(record) ? adoptEnded(record, recovery) : adoptLive(record, recovery);
  const adopted = adoptAll(adoptable, { ...recovery, isOrphan, adoptOne });
  const schedules = recoverSchedules(runtime, { deps, isOrphan });
  unregisterDead(deps);
  const live = adopted.records.filter((record) => !isOver(record));
  return {
    adopted: live.filter(isDurable).map(({ view }) => view.id),
    lost: live.filter((record) => !isDurable(record)).map(({ view }) => view.id),
    ended: ended + adopted.records.length - live.length,
    damaged: [...damaged, ...schedules.damaged],
    problem: toProblem([adopted.problem, ...problems, schedules.problem]),
  };
}

function toRecovery(
  damaged: DamagedRecord[],
  { runtime, deps }: { readonly runtime: Runtime; readonly deps: SupervisorDeps },
): Recovery {
  const onDamage = (id: string, error: unknown) =>
    damaged.push({ name: id, why: `it cannot be adopted: ${toErrorText(error)}` });
  return { runtime, deps, onDamage };
}

function toProblem(problems: readonly (string | null)[]): string | null {
  const all = problems.filter((problem) => problem !== null);
  return all.length === 0 ? null : all.join(' ');
}

function isOver({ view }: ProcessRecord): boolean {
  return 'endedAt' in view;
}

function isDurable({ revival }: ProcessRecord): boolean {
  return revival !== null;
}

type OrphanTest = (record: { readonly supervisorId: string; readonly owner: string }) => boolean;

/** Creates a predicate for records whose supervisor is dead. Each supervisor is looked up once. */
function createOrphanTest({ supervisors, supervisorId, settings }: SupervisorDeps): OrphanTest {
  const { recover } = settings;
  const states = new Map<string, boolean>();
  return ({ supervisorId: before, owner }) => {
    if (before === supervisorId) return false;
    if (typeof recover === 'object' && !`${owner}/`.startsWith(`${recover.owner}/`)) return false;
    const isDead = states.get(before) ?? (supervisors === null || supervisors.stateOf(before) === 'dead');
    states.set(before, isDead);
    return isDead;
  };
}

/**
 * Loads ended processes that need no owner: every supervisor lists them without claiming them. Records past their retention are
 * removed. Returns the number of loaded processes.
 */
function loadAllEnded(records: readonly ProcessRecord[], recovery: Recovery): number {
  const { store, settings, clock } = recovery.deps;
  const nowAt = clock.epochMs();
  const isOld = ({ view, timeline }: ProcessRecord) =>
    isPastRetention({ view: view as FinalView, timeline }, { settings, nowAt });
  const old = records.filter(isOld);
  for (const { view } of old) store?.remove(view.id);
  const gone = new Set(old);
  const kept = records
    .filter((record) => !gone.has(record) && !hasPendingNotice(record))
    .slice(-settings.maxFinished);
  return kept.filter((record) => loadEnded(record, recovery)).length;
}

/** Adopts records under a lock, and reads each again: two supervisors may start at the same time. */
function adoptAll(
  records: readonly ProcessRecord[],
  {
    isOrphan,
    adoptOne,
    ...recovery
  }: Recovery & {
    readonly isOrphan: OrphanTest;
    readonly adoptOne: (record: ProcessRecord, recovery: Recovery) => void;
  },
): { readonly records: readonly ProcessRecord[]; readonly problem: string | null } {
  const { deps, onDamage } = recovery;
  if (records.length === 0) return { records: [], problem: null };
  let release = () => {};
  try {
    if (deps.paths !== null) release = lockDirectory(deps.paths);
  } catch (error) {
    return { records: [], problem: toErrorText(error) };
  }
  try {
    const adopted = records.flatMap(({ view }) => {
      try {
        const record = deps.store?.read(view.id) ?? null;
        if (record === null || !isOrphan({ ...record, owner: record.view.owner })) return [];
        adoptOne(record, recovery);
        return [record];
      } catch (error) {
        onDamage(view.id, error);
        return [];
      }
    });
    return { records: adopted, problem: null };
  } finally {
    release();
  }
}

/** Adopts schedules once the processes are adopted: some schedules belong to one. */
function recoverSchedules(
  { schedules, registry }: Runtime,
  { deps, isOrphan }: { deps: SupervisorDeps; isOrphan: OrphanTest },
): { readonly damaged: readonly DamagedRecord[]; readonly problem: string | null } {
  const { paths, store: processes } = deps;
  try {
    const lock = () => (paths === null ? () => {} : lockDirectory(paths));
    const stateOf = (id: string) =>
      registry.live.has(id) ? 'live' : registry.ended.has(id) ? 'ended' : undefined;
    return { damaged: schedules.recover({ stateOf, processes, isOrphan, lock }), problem: null };
  } catch (error) {
    return { damaged: [], problem: `No schedules were adopted: ${toErrorText(error)}` };
  }
}
