import type { Requester } from '../../machines/process/context.ts';
import type { ProcessView } from './process-view.ts';

export type TimelineEvent =
  | 'created'
  | 'started'
  /** Taken over from a supervisor that is gone. */
  | 'adopted'
  /** Its supervisor ended and left it running. */
  | 'released'
  | 'backgrounded'
  | 'read'
  | 'signalled'
  /** The detail is its name. */
  | 'secret written'
  | 'limits changed'
  | 'ready'
  | 'not ready'
  | 'silent'
  | 'elapsed'
  | 'stopping'
  | 'survived'
  | 'restarting'
  | 'ended'
  | 'leftovers ended'
  | 'notified';

/** One thing that happened to a process. */
export interface TimelineEntry {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly event: TimelineEvent;
  readonly by?: Requester;
  /** In words, for people. */
  readonly detail?: string;
}

/** Beyond so many entries those in the middle are let go: a process that restarts for weeks must not grow. */
const MAX_ENTRIES = 200;
const KEPT_FIRST = 50;

/** Adds an entry in place; the beginning and the newest are kept, and of reads one after another only the last. */
export function addEntry(timeline: TimelineEntry[], entry: TimelineEntry): void {
  const last = timeline.at(-1);
  if (entry.event === 'read' && last?.event === 'read' && last.by === entry.by) timeline.pop();
  if (timeline.length >= MAX_ENTRIES) timeline.splice(KEPT_FIRST, 1);
  timeline.push(entry);
}

/**
 * Whether an ended process still concerns somebody: what it left behind is alive, or it was to outlive its owner and nobody was told of
 * its end.
 */
export function hasPendingNotice({
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
