import { isFinal } from '../../machines/process/view.ts';
import type { ProcessPlan } from '../process/process-plan.ts';
import type { SupervisedProcess } from '../process/supervised-process.ts';

/** Finds the process of the same owner that runs the same command in the same directory in the background. */
export function findDuplicate(
  plan: ProcessPlan,
  live: Iterable<SupervisedProcess>,
): SupervisedProcess | undefined {
  for (const process of live) if (isDuplicate(plan, process)) return process;
  return undefined;
}

/** Finds the newest one that has ended, as long as it is kept. */
export function findEndedDuplicate(
  plan: ProcessPlan,
  ended: ReadonlyMap<string, SupervisedProcess>,
): SupervisedProcess | undefined {
  const duplicates = [...ended.values()].filter((process) => isDuplicate(plan, process));
  return duplicates.toSorted((a, b) => a.life.times.createdAt - b.life.times.createdAt).at(-1);
}

/** A process that is being stopped cannot be joined. */
function isDuplicate(plan: ProcessPlan, { owner, plan: other, life, status }: SupervisedProcess): boolean {
  if (owner !== plan.owner || other.fingerprint !== plan.fingerprint || status === 'stopping') return false;
  const wasBackground = other.background || life.times.backgroundedAt !== null;
  // One that was cancelled in the queue never ran.
  return wasBackground && !(isFinal(status) && life.times.startedAt === null);
}
