import { toErrorText } from '../config/error-text.ts';
import { shorten } from '../config/quote.ts';
import { TroupeError } from '../config/troupe-error.ts';
import type { ProcessPlan } from '../process/process-plan.ts';
import type { ProcessRecord } from '../process/process-record.ts';
import type { SupervisedProcess } from '../process/supervised-process.ts';
import { hasPendingNotice } from '../process/timeline.ts';
import { adoptEnded, adoptLive, loadEnded } from './adopt-records.ts';
import { partitionAdoptable } from './partition-adoptable.ts';
import type { Runtime } from './runtime.ts';
import type { SupervisorDeps } from './supervisor-deps.ts';

/**
 * Finds the process that was started with the id of a plan: registered here, or recorded in the state directory, from which it is adopted or
 * loaded. Returns `null` for an unused id. To be called while the directory is locked.
 *
 * @throws TroupeError `duplicate` where the id belongs to another command, or the process is out of reach.
 */
export function findStarted(
  plan: ProcessPlan,
  { runtime, deps }: { runtime: Runtime; deps: SupervisorDeps },
): SupervisedProcess | null {
  const { registry } = runtime;
  const known = registry.get(plan.id) ?? findRecorded(plan, { runtime, deps });
  if (known !== null) return checkCommand(known, plan);
  if (!registry.isForgotten(plan.id)) return null;
  throw taken(
    plan.id,
    'was started here and has ended; its end is no longer kept, because more than "maxFinished" ended later',
  );
}

function findRecorded(
  plan: ProcessPlan,
  { runtime, deps }: { runtime: Runtime; deps: SupervisorDeps },
): SupervisedProcess | null {
  const { id } = plan;
  // An end may have been forgotten here before it was written.
  runtime.records.flush();
  const reading = deps.store?.inspect(id) ?? null;
  if (reading === null) return null;
  const recovery = { runtime, deps, onDamage: (_: string, error: unknown) => fail(id, toErrorText(error)) };
  if (!reading.ok) return fail(id, reading.why);
  const { record } = reading;
  const isOrphan = isDead(record, deps);
  if ('endedAt' in record.view) {
    if (isOrphan && hasPendingNotice(record)) adoptEnded(record, recovery);
    else loadEnded(record, recovery);
  } else {
    checkCommand({ plan: toPlanned(record) }, plan);
    if (!isOrphan) throw taken(id, describeElsewhere(record, deps));
    const [problem] = partitionAdoptable([record], deps).problems;
    if (problem !== undefined) throw taken(id, `cannot be adopted. ${problem}`);
    adoptLive(record, recovery);
  }
  return runtime.registry.get(id) ?? null;
}

/** Returns whether no supervisor has the process any more. */
function isDead(
  { supervisorId }: ProcessRecord,
  { supervisors, supervisorId: own }: SupervisorDeps,
): boolean {
  return supervisorId !== own && (supervisors === null || supervisors.stateOf(supervisorId) === 'dead');
}

function describeElsewhere({ supervisorId, view }: ProcessRecord, deps: SupervisorDeps): string {
  const shown = `${shorten(view.commandLine, 80)} (${view.status})`;
  if (supervisorId === deps.supervisorId)
    return `was left running by this supervisor, which has shut down: ${shown}`;
  const state = deps.supervisors?.stateOf(supervisorId);
  const who = `the supervisor ${supervisorId} of another program`;
  if (state === 'alive')
    return `runs under ${who}: ${shown}. Start it there, or follow it with "troupe wait ${view.id}"`;
  return `belongs to ${who}, and whether that is alive is unknown: ${shown}`;
}

/** The part of a recorded plan by which commands are compared. */
function toPlanned({ view, revival, likeness }: ProcessRecord): ComparedPlan {
  const { id, commandLine, cwd } = view;
  return { id, commandLine, cwd, fingerprint: revival?.likeness ?? likeness ?? '' };
}

type ComparedPlan = Pick<ProcessPlan, 'id' | 'commandLine' | 'cwd' | 'fingerprint'>;

/** @throws TroupeError `duplicate` where the process runs another command than the plan. */
function checkCommand<P extends { readonly plan: ComparedPlan }>(process: P, plan: ComparedPlan): P {
  const { commandLine, cwd, fingerprint } = process.plan;
  // Fingerprints of processes with secrets are not recorded.
  const isSame =
    fingerprint === ''
      ? commandLine === plan.commandLine && cwd === plan.cwd
      : fingerprint === plan.fingerprint;
  if (isSame) return process;
  const [had, wanted] = [process.plan, plan].map((each) => `${shorten(each.commandLine, 80)} in ${each.cwd}`);
  const difference = had === wanted ? 'with other input, or another shell' : `not ${wanted}`;
  throw taken(plan.id, `was started with another command: ${had}, ${difference}`);
}

function fail(id: string, why: string): never {
  throw taken(id, `has a record that cannot be used: ${why}. Whether its command ran is unknown`);
}

function taken(id: string, clause: string): TroupeError {
  const message = `start: the id "${id}" is taken: the process ${clause}. Nothing was started. Use another id for another start.`;
  return new TroupeError({ code: 'duplicate', message });
}
