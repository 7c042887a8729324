import type { Requester } from '../../machines/process/context.ts';
import type { ProcessAnnouncement } from '../../machines/process/events.ts';
import type { LifeView } from '../../machines/process/view.ts';
import type { Clock } from '../clock/clock.ts';
import { formatDuration } from '../config/format-duration.ts';
import { describeSurvivors } from '../spawn/tree/describe-survivors.ts';
import { describeEnd } from './describe-end.ts';
import type { ProcessView } from './process-view.ts';

/** What can happen to a process. */
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

/** Entries of one process, oldest first. */
export class Timeline {
  readonly #entries: TimelineEntry[];
  readonly #clock: Clock;
  readonly #onAdded: () => void;

  constructor(earlier: readonly TimelineEntry[], wiring: { clock: Clock; onAdded: () => void }) {
    this.#entries = [...earlier];
    this.#clock = wiring.clock;
    this.#onAdded = wiring.onAdded;
  }

  get entries(): readonly TimelineEntry[] {
    return [...this.#entries];
  }

  add(event: TimelineEvent, more: { by?: Requester; detail?: string } = {}): void {
    addEntry(this.#entries, { at: this.#clock.epochMs(), event, ...more });
    // A read is not worth a write of its own: it is saved with the next entry.
    if (event !== 'read') this.#onAdded();
  }

  /** Adds what the chart announced; `view` is the life at this moment. */
  addAnnouncement(announcement: ProcessAnnouncement, view: LifeView): void {
    const { event, ...more } = toEntry(announcement, view);
    this.add(event, more);
  }
}

/** Bound of a timeline: entries in the middle are dropped beyond it, so that a process that restarts for weeks does not grow. */
const MAX_ENTRIES = 200;
const KEPT_FIRST = 50;

/** Adds an entry in place, within the bound; of consecutive reads by the same requester only the last is kept. */
export function addEntry(timeline: TimelineEntry[], entry: TimelineEntry): void {
  const last = timeline.at(-1);
  if (entry.event === 'read' && last?.event === 'read' && last.by === entry.by) timeline.pop();
  if (timeline.length >= MAX_ENTRIES) timeline.splice(KEPT_FIRST, 1);
  timeline.push(entry);
}

/** Whether an ended process still needs an owner: leftovers are alive, or it is persistent and its end was not delivered. */
export function hasPendingNotice({
  view,
  timeline,
}: {
  readonly view: ProcessView;
  readonly timeline: readonly TimelineEntry[];
}): boolean {
  if (!('endedAt' in view)) return false;
  const isUndelivered = view.lifetime === 'persistent' && !timeline.some(({ event }) => event === 'notified');
  return isUndelivered || view.leftovers.length > 0;
}

function toEntry(announcement: ProcessAnnouncement, view: LifeView): Omit<TimelineEntry, 'at'> {
  switch (announcement.type) {
    case 'process.started':
      return {
        event: 'started',
        detail: `attempt ${view.attempt}${'pid' in view ? `, pid ${view.pid}` : ''}`,
      };
    case 'process.adopted':
      return { event: 'adopted', by: 'supervisor' };
    case 'process.released':
      return { event: 'released', by: 'supervisor' };
    case 'process.backgrounded':
      return { event: 'backgrounded', by: announcement.by };
    case 'process.stopping':
      return { event: 'stopping' };
    case 'process.signalled':
      return { event: 'signalled', by: announcement.by, detail: describeSignal(announcement) };
    case 'process.survived':
      return { event: 'survived', ...('survivors' in view && { detail: describeSurvivors(view.survivors) }) };
    case 'process.restarting':
      return {
        event: 'restarting',
        ...('reason' in view && { detail: `it ${describeEnd(view.reason, null)}` }),
      };
    case 'process.silent':
      return { event: 'silent' };
    case 'process.elapsed':
      return { event: 'elapsed' };
    case 'process.ended': {
      const canceller = 'reason' in view && view.reason.type === 'cancelled' ? view.reason.by : null;
      return { event: 'ended', ...(canceller !== null && { by: canceller }), detail: view.status };
    }
  }
}

function describeSignal({
  signal,
  cause,
}: Extract<ProcessAnnouncement, { type: 'process.signalled' }>): string {
  switch (cause.type) {
    case 'kill':
      return signal;
    case 'limit':
      return `${signal}: its limit ${cause.limit} of ${formatDuration(cause.afterMs)}`;
    case 'hold':
      return `${signal}: to be started again in its turn`;
    case 'restart':
      return `${signal}: a restart`;
    case 'grace':
      return `${signal}: alive at the end of its grace`;
    case 'leftovers':
      return `${signal}: its leftovers may not stay`;
  }
}
