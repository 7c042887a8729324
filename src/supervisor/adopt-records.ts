import type { UntimedEvent } from '../process/process-life.ts';
import type { ProcessRecord } from '../process/process-record.ts';
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
  const process = adoptLeftovers(record, recovery);
  // Leftovers of a session process were to end with their supervisor.
  if (process.life.hasLeftovers && process.plan.lifetime !== 'persistent')
    process.orders.stop({ signal: 'SIGKILL', by: 'supervisor' });
}

/** Adopts a process that was alive: its chart determines its state. The record is claimed first. */
export function adoptLive(record: ProcessRecord, recovery: Recovery): void {
  const process = adopt(record, recovery);
  process.life.send(toFirstEvent(record, recovery.deps));
}

/** Adopts a process that is to be stopped. It waits for the order; no attempt is started. */
export function adoptToStop(record: ProcessRecord, recovery: Recovery): void {
  if ('endedAt' in record.view) adoptLeftovers(record, recovery);
  else adopt(record, recovery);
}

function adopt(record: ProcessRecord, recovery: Recovery): SupervisedProcess {
  const { runtime, deps } = recovery;
  const process = restore(record, recovery);
  claim(record, deps);
  runtime.registry.add(process);
  process.life.begin();
  runtime.processDeps.emit(process.id, { type: 'process.created' });
  return process;
}

function adoptLeftovers(record: ProcessRecord, recovery: Recovery): SupervisedProcess {
  const { runtime, deps } = recovery;
  const process = restore(record, recovery);
  claim(record, deps);
  runtime.registry.add(process);
  runtime.registry.end(process);
  if (!process.life.hasLeftovers) return process;
  if (process.plan.lifetime === 'persistent') deps.trees.exempt(process.id);
  process.life.begin();
  process.life.send({ type: 'process.adopt' });
  return process;
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
  const isElsewhere = record.view.mode === 'remote' && record.revival !== null;
  if (!isElsewhere && !isSameScope(record.scope, deps.scope))
    return { type: 'process.lost', why: 'the machine was restarted since' };
  if (record.revival !== null) return { type: 'process.adopt' };
  registerTree(record, deps);
  return { type: 'process.lost', why: `its supervisor ${record.supervisorId} ended without ending it` };
}

/** Registers the tree of a process so that it can be killed. Has no effect unless its leader was recorded on this boot and namespace. */
function registerTree({ view, leader }: ProcessRecord, { table, clock, trees, scope }: SupervisorDeps): void {
  if (leader === null || table === null || !isSameScope(leader, scope)) return;
  trees.add(view.id, { tree: createProcessTree({ identity: leader, table, clock }), identity: leader });
}

function restore(record: ProcessRecord, { runtime, deps }: Recovery): SupervisedProcess {
  return new SupervisedProcess(
    planRecorded(record, deps),
    runtime.processDeps,
    toRestoredProcess(record, deps),
  );
}
