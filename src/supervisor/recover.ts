import { toErrorText } from '../config/error-text.ts';
import type { ProcessRecord } from '../process/process-record.ts';
import type { FinalView } from '../process/process-view.ts';
import { hasPendingNotice } from '../process/timeline.ts';
import type { DamagedRecord } from '../store/record-store.ts';
import { setApart } from './left-alone.ts';
import { lockDirectory } from './lock-directory.ts';
import type { Runtime } from './runtime.ts';
import type { SupervisorDeps } from './supervisor-deps.ts';
import { isPastRetention } from './sweep.ts';
import { keepEnded, keepOwed, type Taking, takeLive } from './take-over.ts';

/** What a supervisor found of those before it. */
export interface RecoveryReport {
  /** Ids of processes that were to outlive their supervisor: each is looked for, and goes on here or has ended meanwhile. */
  readonly adopted: readonly string[];
  /** Ids of processes that died with their supervisor. */
  readonly lost: readonly string[];
  /** How many had ended before, and can be asked for. */
  readonly ended: number;
  /** Records that cannot be used; they are left as they are. */
  readonly damaged: readonly DamagedRecord[];
  /**
   * Why nothing, or not everything, could be taken over, and what to do, in sentences; the supervisor works all the same. What it names was left as
   * it is. `null` when all is well.
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
 * Takes over what earlier supervisors of the state directory have left. Records of those that are alive, or cannot be looked at from
 * here, are not touched. Reading is synchronous, so that whoever has a supervisor has all of its processes. Never throws: what cannot
 * be read or locked is told in the report.
 */
export function recover(runtime: Runtime, deps: SupervisorDeps): RecoveryReport {
  try {
    return recoverOrThrow(runtime, deps);
  } catch (error) {
    return { ...nothingRecovered, problem: `Nothing was taken over: ${toErrorText(error)}` };
  }
}

function recoverOrThrow(runtime: Runtime, deps: SupervisorDeps): RecoveryReport {
  const { store } = deps;
  if (store === null) return nothingRecovered;
  const isOrphan = createOrphanTest(deps);
  const found = store.load();
  // The oldest first: in this order they were created.
  const orphans = found.records
    .filter(({ supervisorId, view: { owner } }) => isOrphan({ supervisorId, owner }))
    .toSorted((one, other) => one.view.createdAt - other.view.createdAt);
  const damaged: DamagedRecord[] = [...found.damaged];
  const taking: Taking = {
    runtime,
    deps,
    onDamage: (id, error) =>
      damaged.push({ name: id, why: `it cannot be taken over: ${toErrorText(error)}` }),
  };
  const ended = keepAll(orphans.filter(isOver), taking);
  // Before anybody is locked out: to look for tmux may take seconds.
  const { within, problems } = setApart(
    orphans.filter((record) => !isOver(record) || hasPendingNotice(record)),
    deps,
  );
  const claimed = claimAll(within, { ...taking, isOrphan });
  const schedules = recoverSchedules(runtime, { deps, isOrphan });
  leaveRoll(deps);
  const live = claimed.taken.filter((record) => !isOver(record));
  return {
    adopted: live.filter(isDurable).map(({ view }) => view.id),
    lost: live.filter((record) => !isDurable(record)).map(({ view }) => view.id),
    ended: ended + claimed.taken.length - live.length,
    damaged: [...damaged, ...schedules.damaged],
    problem: toProblem([claimed.problem, ...problems, schedules.problem]),
  };
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

/** Whose something is, and of which supervisor. */
type OrphanTest = (kept: { readonly supervisorId: string; readonly owner: string }) => boolean;

/** Whether a record has nobody any more who answers for it. Each supervisor is looked up once. */
function createOrphanTest({ roll, supervisorId, settings }: SupervisorDeps): OrphanTest {
  const { recover } = settings;
  const states = new Map<string, boolean>();
  return ({ supervisorId: before, owner }) => {
    if (before === supervisorId) return false;
    if (typeof recover === 'object' && owner !== recover.owner) return false;
    const isDead = states.get(before) ?? (roll === null || roll.stateOf(before) === 'dead');
    states.set(before, isDead);
    return isDead;
  };
}

/**
 * What has ended and concerns nobody any more can be asked for by everybody: it is not claimed. What retention does not allow is
 * forgotten for good. How many are kept.
 */
function keepAll(records: readonly ProcessRecord[], taking: Taking): number {
  const { store, settings, clock } = taking.deps;
  const nowAt = clock.epochMs();
  const isOld = ({ view, timeline }: ProcessRecord) =>
    isPastRetention({ view: view as FinalView, timeline }, { settings, nowAt });
  const old = records.filter(isOld);
  for (const { view } of old) store?.remove(view.id);
  const gone = new Set(old);
  const kept = records
    .filter((record) => !gone.has(record) && !hasPendingNotice(record))
    .slice(-settings.maxFinished);
  return kept.filter((record) => keepEnded(record, taking)).length;
}

/** Under a lock, and each record read again: two supervisors may come at the same time. */
function claimAll(
  records: readonly ProcessRecord[],
  { isOrphan, ...taking }: Taking & { readonly isOrphan: OrphanTest },
): { readonly taken: readonly ProcessRecord[]; readonly problem: string | null } {
  const { deps, onDamage } = taking;
  if (records.length === 0) return { taken: [], problem: null };
  let release = () => {};
  try {
    if (deps.paths !== null) release = lockDirectory(deps.paths);
  } catch (error) {
    return { taken: [], problem: toErrorText(error) };
  }
  try {
    const taken = records.flatMap(({ view }) => {
      try {
        const record = deps.store?.read(view.id) ?? null;
        if (record === null || !isOrphan({ ...record, owner: record.view.owner })) return [];
        const isTaken = isOver(record) ? keepOwed(record, taking) : takeLive(record, taking);
        return isTaken ? [record] : [];
      } catch (error) {
        onDamage(view.id, error);
        return [];
      }
    });
    return { taken, problem: null };
  } finally {
    release();
  }
}

/** Once the processes are taken over: some schedules belong to one. */
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
    return { damaged: [], problem: `No schedules were taken over: ${toErrorText(error)}` };
  }
}

/** The dead need no entry: a record whose supervisor has none is an orphan. */
function leaveRoll({ roll }: SupervisorDeps): void {
  for (const { entry, state } of roll?.list() ?? []) if (state === 'dead') roll?.unregister(entry.id);
}
