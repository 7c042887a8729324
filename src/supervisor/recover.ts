import { toEarlierProcess } from '../process/from-record.ts';
import type { UntimedEvent } from '../process/process-life.ts';
import type { ProcessRecord } from '../process/process-record.ts';
import type { FinalView } from '../process/process-view.ts';
import { SupervisedProcess } from '../process/supervised-process.ts';
import { isFromScope } from '../spawn/tree/identity.ts';
import { createProcessTree } from '../spawn/tree/process-tree.ts';
import type { DamagedRecord } from '../store/record-store.ts';
import type { Ground } from './ground.ts';
import { lockDirectory } from './lock-directory.ts';
import { planRecorded } from './plan-recorded.ts';
import type { Runtime } from './runtime.ts';
import { isPastRetention } from './sweep.ts';

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
}

export const nothingRecovered: RecoveryReport = { adopted: [], lost: [], ended: 0, damaged: [] };

/**
 * Takes over what earlier supervisors of the state directory have left. Records of those that are alive, or cannot be looked at from
 * here, are not touched. Reading is synchronous, so that whoever has a supervisor has all of its processes.
 *
 * @throws TroupeError `state-directory` where another program keeps the directory locked.
 */
export function recover(runtime: Runtime, ground: Ground): RecoveryReport {
  const { store } = ground;
  if (store === null) return nothingRecovered;
  const isOrphan = createOrphanTest(ground);
  const found = store.load();
  const orphans = found.records.filter(isOrphan);
  if (orphans.length === 0) return { ...nothingRecovered, damaged: found.damaged };

  // The oldest first: in this order they were created.
  const inOrder = orphans.toSorted((one, other) => one.view.createdAt - other.view.createdAt);
  const ended = keepAll(inOrder.filter(hasEnded), { runtime, ground });
  const live = inOrder.filter((record) => !hasEnded(record));
  const taken = live.length === 0 ? [] : claimAll(live, { runtime, ground, isOrphan });
  leaveRoll(ground);
  return {
    adopted: taken.filter(isDurable).map(({ view }) => view.id),
    lost: taken.filter((record) => !isDurable(record)).map(({ view }) => view.id),
    ended,
    damaged: found.damaged,
  };
}

function hasEnded({ view }: ProcessRecord): boolean {
  return 'endedAt' in view;
}

function isDurable({ revival }: ProcessRecord): boolean {
  return revival !== null;
}

/** Whether a record has nobody any more who answers for it. Each supervisor is looked up once. */
function createOrphanTest({ roll, supervisorId }: Ground): (record: ProcessRecord) => boolean {
  const states = new Map<string, boolean>();
  return ({ supervisorId: owner }) => {
    if (owner === supervisorId) return false;
    const isDead = states.get(owner) ?? (roll === null || roll.stateOf(owner) === 'dead');
    states.set(owner, isDead);
    return isDead;
  };
}

interface Taking {
  readonly runtime: Runtime;
  readonly ground: Ground;
}

/** The newest that retention allows; the others are forgotten for good. How many are kept. */
function keepAll(records: readonly ProcessRecord[], taking: Taking): number {
  const { store, settings, clock } = taking.ground;
  const isKept = ({ view, timeline }: ProcessRecord) =>
    !isPastRetention({ view: view as FinalView, timeline }, { settings, nowAt: clock.epochMs() });
  const kept = records.filter(isKept).slice(-settings.maxFinished);
  for (const record of records) if (!kept.includes(record)) store?.remove(record.view.id);
  for (const record of kept) keepEnded(record, taking);
  return kept.length;
}

/** Under a lock, and each record read again: two supervisors may come at the same time. */
function claimAll(
  live: readonly ProcessRecord[],
  { runtime, ground, isOrphan }: Taking & { isOrphan: (record: ProcessRecord) => boolean },
): readonly ProcessRecord[] {
  const release = ground.paths === null ? () => {} : lockDirectory(ground.paths);
  try {
    return live.flatMap(({ view }) => {
      const record = ground.store?.read(view.id) ?? null;
      if (record === null || hasEnded(record) || !isOrphan(record)) return [];
      take(record, { runtime, ground });
      return [record];
    });
  } finally {
    release();
  }
}

function keepEnded(record: ProcessRecord, { runtime, ground }: Taking): void {
  const process = open(record, { runtime, ground });
  runtime.registry.add(process);
  runtime.registry.end(process);
  const { leftovers } = record.view as FinalView;
  if (leftovers.length === 0) return;
  const isKnown = addTree(record, { ground, hasLeaderEnded: true });
  if (isKnown && record.view.lifetime === 'persistent') {
    runtime.admission.adopted(process.plan);
    return runtime.keepLeftovers(process);
  }
  // They were to end with their supervisor.
  if (isKnown) ground.trees.abandon(process.id);
  process.forgetLeftovers();
}

function take(record: ProcessRecord, { runtime, ground }: Taking): void {
  const process = open(record, { runtime, ground });
  runtime.registry.add(process);
  process.life.begin();
  runtime.admission.adopted(process.plan);
  runtime.announceCreation(process);
  // From here on it is ours, whatever happens to this program.
  runtime.records.save(process);
  process.life.send(toFirstEvent(record, ground));
}

/** What was to outlive its supervisor is looked for; the rest is over, and what is alive of it all the same is ended. */
function toFirstEvent(record: ProcessRecord, ground: Ground): UntimedEvent {
  if (!isFromScope(record.scope, ground.scope))
    return { type: 'process.lost', why: 'the machine was started anew since' };
  if (isDurable(record)) return { type: 'process.adopt' };
  addTree(record, { ground, hasLeaderEnded: false });
  return { type: 'process.lost', why: `its supervisor ${record.supervisorId} ended without ending it` };
}

/** Makes the tree known of which a record tells. `false` where it tells of none that means anything here. */
function addTree(
  { view, leader }: ProcessRecord,
  { ground, hasLeaderEnded }: { ground: Ground; hasLeaderEnded: boolean },
): boolean {
  const { table, clock, trees, scope } = ground;
  if (leader === null || table === null || !isFromScope(leader, scope)) return false;
  const tree = createProcessTree({ identity: leader, table, clock });
  if (hasLeaderEnded) tree.leaderExited();
  if (view.lifetime === 'persistent') trees.spare(view.id);
  trees.add(view.id, { tree, identity: leader });
  return true;
}

function open(record: ProcessRecord, { runtime, ground }: Taking): SupervisedProcess {
  return new SupervisedProcess(
    planRecorded(record, ground),
    runtime.world,
    toEarlierProcess(record, ground.clock),
  );
}

/** The dead need no entry: a record whose supervisor has none is an orphan. */
function leaveRoll({ roll }: Ground): void {
  for (const { entry, state } of roll?.list() ?? []) if (state === 'dead') roll?.leave(entry.id);
}
