import type { ProcessView } from './process-view.ts';

/** Whether a process has not ended, or has ended and something that it left behind, or perhaps did, is alive. */
export function hasLiveMembers(view: ProcessView): boolean {
  return !('endedAt' in view) || view.leftovers.length > 0 || view.suspects.length > 0;
}
