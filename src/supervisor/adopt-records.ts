import type { UntimedEvent } from '../process/process-life.ts';
import type { ProcessRecord } from '../process/process-record.ts';
import type { FinalView } from '../process/process-view.ts';
import { toRestoredProcess } from '../process/restored-process.ts';
import { SupervisedProcess } from '../process/supervised-process.ts';
import { toSaved, withoutValues } from '../process/to-record.ts';
import { isSameScope } from '../spawn/tree/identity.ts';
import { createProcessTree } from '../spawn/tree/process-tree.ts';
import { planRecorded } from './plan-recorded.ts';
import type { Runtime } from './runtime.ts';
import type { SupervisorDeps } from './supervisor-deps.ts';

/** Dependencies for adopting records. */
export interface Recovery {
  readonly runtime: Runtime;
  readonly deps: SupervisorDeps;
  /** Called for a record that cannot be used. */
  readonly onDamage: (id: string, error: unknown) => void;
}

/** Lists an ended process here, with its record as its supervisor left it. Returns `false` for an unusable record. */
export function loadEnded(record: ProcessRecord, recovery: Recovery): boolean {
  try {
    const process = restore(record, recovery);
    recovery.runtime.registry.add(process);
    recovery.runtime.registry.end(process);
    return true;
  } catch (error) {
    recovery.onDamage(record.view.id, error);
    return false;
  }
}

/** Adopts an ended process that has leftovers or an undelivered end. */
export function adoptEnded(record: ProcessRecord, recovery: Recovery): void {
  const { runtime, deps } = recovery;
  const process = restore(record, recovery);
  claim(record, deps);
  runtime.registry.add(process);
  runtime.registry.end(process);
  const { leftovers, lifetime } = record.view as FinalView;
  if (leftovers.length === 0) return;
  const isKnown = registerTree(record, { deps, hasLeaderEnded: true });
  if (isKnown && lifetime === 'persistent') {
    runtime.leftovers.watch(process);
    return;
  }
  // Leftovers of a session process were to end with their supervisor.
  if (isKnown) deps.trees.forceKill(process.id);
  process.life.forgetLeftovers();
}

/** Adopts a process that was alive: its chart determines its state. The record is claimed first. */
export function adoptLive(record: ProcessRecord, recovery: Recovery): void {
  const { runtime, deps } = recovery;
  const process = restore(record, recovery);
  claim(record, deps);
  runtime.registry.add(process);
  process.life.begin();
  runtime.processDeps.emit(process.id, { type: 'process.created' });
  process.life.send(toFirstEvent(record, deps));
}

/** Makes this supervisor the owner of a record and leaves the rest as it is until the state of the process is known. */
function claim(record: ProcessRecord, { store, supervisorId, scope, clock, register }: SupervisorDeps): void {
  register();
  const isSame = isSameScope(record.scope, scope);
  store?.save(record.view.id, {
    ...withoutValues(record),
    supervisorId,
    // The scope of another boot stays: its process ids must not be taken for those of this boot.
    scope: isSame ? scope : record.scope,
    ...toSaved(clock),
  });
}

/** Returns `process.adopt` for a process that may have outlived its supervisor; any other is lost, and its remaining tree is killed. */
function toFirstEvent(record: ProcessRecord, deps: SupervisorDeps): UntimedEvent {
  if (!isSameScope(record.scope, deps.scope))
    return { type: 'process.lost', why: 'the machine was restarted since' };
  if (record.revival !== null) return { type: 'process.adopt' };
  registerTree(record, { deps, hasLeaderEnded: false });
  return { type: 'process.lost', why: `its supervisor ${record.supervisorId} ended without ending it` };
}

/** Registers the tree of a recorded process. Returns `false` where the record has no leader of this boot and namespace. */
function registerTree(
  { view, leader }: ProcessRecord,
  { deps, hasLeaderEnded }: { deps: SupervisorDeps; hasLeaderEnded: boolean },
): boolean {
  const { table, clock, trees, scope } = deps;
  if (leader === null || table === null || !isSameScope(leader, scope)) return false;
  const tree = createProcessTree({ identity: leader, table, clock });
  if (hasLeaderEnded) tree.leaderExited();
  if (view.lifetime === 'persistent') trees.exempt(view.id);
  trees.add(view.id, { tree, identity: leader });
  return true;
}

function restore(record: ProcessRecord, { runtime, deps }: Recovery): SupervisedProcess {
  return new SupervisedProcess(
    planRecorded(record, deps),
    runtime.processDeps,
    toRestoredProcess(record, deps),
  );
}
