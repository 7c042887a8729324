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

/** What takes records over, and who is told of one that could not be. */
export interface Taking {
  readonly runtime: Runtime;
  readonly deps: SupervisorDeps;
  readonly onDamage: (id: string, error: unknown) => void;
}

/** One that has ended: it can be asked for here, and stays as its supervisor left it. */
export function keepEnded(record: ProcessRecord, taking: Taking): boolean {
  try {
    const process = open(record, taking);
    taking.runtime.registry.add(process);
    taking.runtime.registry.end(process);
    return true;
  } catch (error) {
    taking.onDamage(record.view.id, error);
    return false;
  }
}

/** One that has ended and still concerns somebody: what it left behind is owned here, and its end is told from here. */
export function keepOwed(record: ProcessRecord, taking: Taking): boolean {
  const { runtime, deps } = taking;
  const process = open(record, taking);
  claim(record, deps);
  runtime.registry.add(process);
  runtime.registry.end(process);
  const { leftovers, lifetime } = record.view as FinalView;
  if (leftovers.length === 0) return true;
  const isKnown = addTree(record, { deps, hasLeaderEnded: true });
  if (isKnown && lifetime === 'persistent') {
    runtime.leftovers.watch(process);
    return true;
  }
  // They were to end with their supervisor.
  if (isKnown) deps.trees.forceKill(process.id);
  process.life.forgetLeftovers();
  return true;
}

/** One that was alive: its chart finds out what became of it. Nothing happens before it is ours on disk. */
export function takeLive(record: ProcessRecord, taking: Taking): boolean {
  const { runtime, deps } = taking;
  const process = open(record, taking);
  claim(record, deps);
  runtime.registry.add(process);
  process.life.begin();
  runtime.processDeps.emit(process.id, { type: 'process.created' });
  process.life.send(toFirstEvent(record, deps));
  return true;
}

/** All that is known of it stays: how it is now is written down when that is found out. */
function claim(record: ProcessRecord, { store, supervisorId, scope, clock, enter }: SupervisorDeps): void {
  enter();
  const isSame = isSameScope(record.scope, scope);
  store?.save(record.view.id, {
    ...withoutValues(record),
    supervisorId,
    // Of another boot it stays what it was: nobody is to take its numbers for ours.
    scope: isSame ? scope : record.scope,
    ...toSaved(clock),
  });
}

/** What was to outlive its supervisor is looked for; the rest is over, and what is alive of it all the same is ended. */
function toFirstEvent(record: ProcessRecord, deps: SupervisorDeps): UntimedEvent {
  if (!isSameScope(record.scope, deps.scope))
    return { type: 'process.lost', why: 'the machine was started anew since' };
  if (record.revival !== null) return { type: 'process.adopt' };
  addTree(record, { deps, hasLeaderEnded: false });
  return { type: 'process.lost', why: `its supervisor ${record.supervisorId} ended without ending it` };
}

/** Makes the tree known of which a record tells. `false` where it tells of none that means anything here. */
function addTree(
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

function open(record: ProcessRecord, { runtime, deps }: Taking): SupervisedProcess {
  return new SupervisedProcess(
    planRecorded(record, deps),
    runtime.processDeps,
    toRestoredProcess(record, deps),
  );
}
