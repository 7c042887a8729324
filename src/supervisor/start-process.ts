import { isFinal } from '../../machines/process/view.ts';
import { toErrorText } from '../config/error-text.ts';
import { isOwnId } from '../config/own-id.ts';
import type { ParsedSpec } from '../config/process-spec.ts';
import { TroupeError } from '../config/troupe-error.ts';
import type { ProcessPlan } from '../process/process-plan.ts';
import { SupervisedProcess } from '../process/supervised-process.ts';
import { findStarted } from './find-started.ts';
import { lockDirectory } from './lock-directory.ts';
import { planProcess } from './plan-process.ts';
import type { Runtime } from './runtime.ts';
import type { SupervisorDeps } from './supervisor-deps.ts';

/**
 * Creates a process and requests its admission in one step. A refused process is never registered.
 *
 * @throws TroupeError `aborted`, `background-limit`, `duplicate`, `shutting-down`, `state-directory`
 */
export function startProcess(
  spec: ParsedSpec,
  { runtime, deps }: { runtime: Runtime; deps: SupervisorDeps },
): SupervisedProcess {
  const { records, processDeps } = runtime;
  if (spec.signal?.aborted) throw toAbortedError(spec.signal);
  const plan = planProcess(spec, deps);
  const duplicate = findJoined(plan, { spec, runtime });
  if (duplicate !== null) return follow(duplicate, spec);

  const { process, admitted } =
    spec.id === undefined ? enter(plan, { runtime, deps }) : enterOnce(plan, { runtime, deps });
  if (admitted === null) return follow(process, spec);
  process.life.begin();
  processDeps.emit(plan.id, { type: 'process.created' });
  if (admitted === 'admitted') process.life.send({ type: 'process.admit' });
  // Its owner waits only for its end, which the next supervisor reports if this program ends first.
  if (plan.run.background && plan.files === null) records.save(process);
  return follow(process, spec);
}

/** A process that was admitted, or one that had been started before. */
interface Entered {
  readonly process: SupervisedProcess;
  readonly admitted: 'admitted' | 'queued' | null;
}

/** Admits and registers a process. A refused one leaves no trace. */
function enter(plan: ProcessPlan, { runtime, deps }: { runtime: Runtime; deps: SupervisorDeps }): Entered {
  const admitted = runtime.admission.request({ ...plan, background: plan.run.background });
  try {
    return { process: register(plan, { runtime, deps }), admitted };
  } catch (error) {
    runtime.admission.release(plan);
    throw error;
  }
}

/** Registers a process with an id of the caller's choice, unless it was started before. Two programs may start it at the same time. */
function enterOnce(plan: ProcessPlan, context: { runtime: Runtime; deps: SupervisorDeps }): Entered {
  const { paths, store } = context.deps;
  const unlock = paths === null || store === null ? () => {} : lockDirectory(paths);
  try {
    const process = findStarted(plan, context);
    return process === null ? enter(plan, context) : { process, admitted: null };
  } finally {
    unlock();
  }
}

/** Makes the signal of the start decide about the process, also about one that was joined. */
function follow(process: SupervisedProcess, { signal, onAbort }: ParsedSpec): SupervisedProcess {
  if (signal !== undefined) process.orders.followSignal(signal, onAbort);
  return process;
}

function toAbortedError({ reason }: AbortSignal): TroupeError {
  const message = `start: "signal" was aborted before the start: ${toErrorText(reason)}. Nothing was started.`;
  return new TroupeError({ code: 'aborted', message, cause: reason });
}

/**
 * Registers a process. The record of one that outlives this program, or has an id of the caller's choice, is written before anything is
 * started, so that the next supervisor knows it after a crash.
 *
 * @throws TroupeError `state-directory`
 */
function register(
  plan: ProcessPlan,
  { runtime: { registry, records, processDeps }, deps }: { runtime: Runtime; deps: SupervisorDeps },
): SupervisedProcess {
  const process = new SupervisedProcess(plan, processDeps);
  registry.add(process);
  if (plan.files === null && !isOwnId(plan.id)) return process;
  try {
    records.create(process);
    return process;
  } catch (error) {
    registry.remove(process.id);
    process.discard();
    const message =
      `start: the record of the process cannot be written in ${deps.paths?.directory}: ${toErrorText(error)}. ` +
      'Nothing was started. Make room or give permission there, or name another "stateDirectory".';
    throw new TroupeError({ code: 'state-directory', message, cause: error });
  }
}

/** Returns the process to join instead of starting a new one; `null` if there is none. */
function findJoined(
  plan: ProcessPlan,
  { spec, runtime }: { spec: ParsedSpec; runtime: Runtime },
): SupervisedProcess | null {
  if (!plan.run.background || !('onDuplicate' in spec) || spec.onDuplicate === 'allow' || spec.force)
    return null;
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

/** Finds the live process of the same owner that runs the same command in the same directory in the background. */
function findDuplicate(plan: ProcessPlan, live: Iterable<SupervisedProcess>): SupervisedProcess | undefined {
  for (const process of live) if (isDuplicate(plan, process)) return process;
  return undefined;
}

/** Finds the newest duplicate that has ended and is still kept. */
function findEndedDuplicate(
  plan: ProcessPlan,
  ended: ReadonlyMap<string, SupervisedProcess>,
): SupervisedProcess | undefined {
  const duplicates = [...ended.values()].filter((process) => isDuplicate(plan, process));
  return duplicates.toSorted((a, b) => a.life.times.createdAt - b.life.times.createdAt).at(-1);
}

/** Returns `true` if `plan` may join the process. A process that is being stopped cannot be joined. */
function isDuplicate(plan: ProcessPlan, { owner, plan: other, life, status }: SupervisedProcess): boolean {
  if (owner !== plan.owner || other.fingerprint !== plan.fingerprint || status === 'stopping') return false;
  const wasBackground = other.run.background || life.times.backgroundedAt !== null;
  // A process that was cancelled in the queue never ran.
  return wasBackground && !(isFinal(status) && life.times.startedAt === null);
}
