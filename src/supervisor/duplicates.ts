import type { ProcessPlan } from '../process/process-plan.ts';
import type { SupervisedProcess } from '../process/supervised-process.ts';

/** The process that runs the same command in the same directory in the background already, if there is one. */
export function findDuplicate(
  plan: ProcessPlan,
  live: Iterable<SupervisedProcess>,
): SupervisedProcess | undefined {
  const key = toKey(plan);
  for (const process of live) {
    if (isInBackground(process) && toKey(process.plan) === key) return process;
  }
  return undefined;
}

function isInBackground({ plan, life }: SupervisedProcess): boolean {
  return plan.background || life.times.backgroundedAt !== null;
}

function toKey({ command, cwd }: ProcessPlan): string {
  return JSON.stringify([command, cwd]);
}
