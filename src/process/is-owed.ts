import type { ProcessView } from './process-view.ts';
import type { TimelineEntry } from './timeline.ts';

/**
 * Whether an ended process still concerns somebody: what it left behind is alive, or it was to outlive its owner and nobody was told of
 * its end.
 */
export function isOwed({
  view,
  timeline,
}: {
  readonly view: ProcessView;
  readonly timeline: readonly TimelineEntry[];
}): boolean {
  if (!('endedAt' in view)) return false;
  const isUntold = view.lifetime === 'persistent' && !timeline.some(({ event }) => event === 'notified');
  return isUntold || view.leftovers.length > 0;
}
