import type { ProcessPlan } from '../process/process-plan.ts';
import type { SupervisedProcess } from '../process/supervised-process.ts';

/** The process of the same owner that runs the same command in the same directory in the background, if there is one. */
export function findDuplicate(
  plan: ProcessPlan,
  live: Iterable<SupervisedProcess>,
): SupervisedProcess | undefined {
  for (const process of live) {
    const isSame = process.owner === plan.owner && process.plan.likeness === plan.likeness;
    if (isSame && isInBackground(process)) return process;
  }
  return undefined;
}

/** One that is being stopped is nobody to join. */
function isInBackground({ plan, life, status }: SupervisedProcess): boolean {
  return status !== 'stopping' && (plan.background || life.times.backgroundedAt !== null);
}
