import type { ProcessView } from './process-view.ts';

/** Whether a process has not ended, or has ended and left something behind that is alive. */
export function hasLiveMembers(view: ProcessView): boolean {
  return !('endedAt' in view) || view.leftovers.length > 0;
}
