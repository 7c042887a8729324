import { toErrorText } from '../config/error-text.ts';
import { TroupeError } from '../config/troupe-error.ts';
import type { ProcessPlan } from '../process/process-plan.ts';
import { SupervisedProcess } from '../process/supervised-process.ts';
import { findDuplicate, findEndedDuplicate } from './duplicates.ts';
import type { Ground } from './ground.ts';
import { planProcess } from './plan-process.ts';
import type { ParsedSpec } from './planning-ground.ts';
import { toRefusalError } from './refusal.ts';
import type { Runtime } from './runtime.ts';

/**
 * Creates the process and asks for its admission, in one step: either it counts from now on, or it never existed.
 *
 * @throws TroupeError `background-limit`, `duplicate`, `shutting-down`
 */
export function startProcess(
  spec: ParsedSpec,
  { runtime, ground }: { runtime: Runtime; ground: Ground },
): SupervisedProcess {
  const { registry, admission, world } = runtime;
  const plan = planProcess(spec, ground);
  const duplicate = joinedDuplicate(plan, { spec, runtime });
  if (duplicate !== null) return duplicate;

  const process = new SupervisedProcess(plan, world);
  registry.add(process);
  if (plan.files !== null) saveFirst(process, { runtime, ground });
  process.life.begin();
  const refusal = admission.request(plan);
  if (refusal !== null) {
    registry.remove(plan.id);
    process.discard();
    throw toRefusalError(refusal, {
      max: ground.settings.maxBackgroundProcesses,
      backgroundIds: admission.backgroundIds(),
    });
  }
  runtime.announceCreation(process);
  // Whoever starts it waits for its end alone: should this program end before, the next one is to tell of it.
  if (plan.background && plan.files === null) runtime.records.save(process);
  return process;
}

/**
 * The record is on disk before anything is started: wherever a crash falls, the next supervisor knows of it.
 *
 * @throws TroupeError `state-directory`
 */
function saveFirst(
  process: SupervisedProcess,
  { runtime, ground }: { runtime: Runtime; ground: Ground },
): void {
  try {
    runtime.records.saveOrThrow(process);
  } catch (error) {
    runtime.registry.remove(process.id);
    process.discard();
    const message =
      `start: the record of a persistent process cannot be written in ${ground.paths?.directory}: ${toErrorText(error)}. ` +
      'Nothing was started. Make room or give permission there, or name another "stateDirectory".';
    throw new TroupeError({ code: 'state-directory', message, cause: error });
  }
}

/** The process that is joined instead of a start of its own; `null` where it is to start. */
function joinedDuplicate(
  plan: ProcessPlan,
  { spec, runtime }: { spec: ParsedSpec; runtime: Runtime },
): SupervisedProcess | null {
  if (!plan.background || !('onDuplicate' in spec) || spec.onDuplicate === 'allow' || spec.force) return null;
  const { live, ended } = runtime.registry;
  const duplicate = findDuplicate(plan, live.values());
  if (spec.onDuplicate === 'join') return duplicate ?? findEndedDuplicate(plan, ended) ?? null;
  if (duplicate === undefined) return null;
  throw new TroupeError({
    code: 'duplicate',
    message:
      `The same command already runs in the background as ${duplicate.id}: ${plan.commandLine}. ` +
      'Use that one, or end it first.',
  });
}
