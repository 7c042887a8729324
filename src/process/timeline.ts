import type { Requester, SentSignal } from '../../machines/process/context.ts';
import type { ProcessAnnouncement, SignalCause } from '../../machines/process/events.ts';
import type { LifeView } from '../../machines/process/view.ts';
import type { Clock } from '../clock/clock.ts';
import { formatDuration } from '../config/format-duration.ts';
import { describeSurvivors } from '../spawn/tree/describe-survivors.ts';
import { describeEnd } from './describe-end.ts';
import type { LifecycleEvent } from './lifecycle-event.ts';
import type { ProcessView } from './process-view.ts';

/** Names of everything that can happen to a process: the same in its chart, its timeline and the events of its supervisor. */
export type TimelineEvent =
  | 'process.created'
  | 'process.started'
  /** Adopted from an earlier supervisor. */
  | 'process.adopted'
  /** Left running by its supervisor, which ended. */
  | 'process.released'
  | 'process.backgrounded'
  | 'process.ready'
  | 'process.unready'
  /** A background process has printed nothing for `notifyAfterSilence`. */
  | 'process.silent'
  /** A background process has run for `notifyAfter`. */
  | 'process.elapsed'
  /** Output was read. */
  | 'process.read'
  /** The detail is the name of the secret. */
  | 'process.secretWritten'
  /** The stream of the option `input` failed with the error in the detail; the process is killed. */
  | 'input.failed'
  | 'limits.changed'
  /** The members of the tree are halted. */
  | 'process.paused'
  | 'process.resumed'
  | 'process.stopping'
  /** A signal was sent; `signal` says to which processes. */
  | 'process.signalled'
  /** A member of the tree is alive although it was killed. */
  | 'process.survived'
  | 'process.restarting'
  | 'process.ended'
  /** The leftovers of an ended process are gone. */
  | 'leftovers.ended'
  /** The end was delivered to the owner in the detail. */
  | 'process.notified';

/** An event of a process without the view. */
export interface TimelineEntry {
  readonly type: TimelineEvent;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly by?: Requester;
  /** Text for people. */
  readonly detail?: string;
  /** The signal of `process.signalled`. Absent in records of older versions. Of its pids the first hundred. */
  readonly signal?: SentSignal;
  /** Cause of the entry in the statechart. Absent for entries that the chart did not make, and in records of older versions. */
  readonly cause?: TimelineCause;
}

/** Event that caused a transition of the statechart, and the guards that selected it, with the names of the chart. */
export interface TimelineCause {
  readonly event: string;
  readonly guards: readonly string[];
}

interface TimelineDeps {
  readonly clock: Clock;
  emit(id: string, event: LifecycleEvent): void;
}

/** Entries of one process, oldest first. */
export class Timeline {
  #entries: TimelineEntry[];
  readonly #id: string;
  readonly #deps: TimelineDeps;

  constructor(
    earlier: readonly TimelineEntry[],
    process: { readonly id: string; readonly deps: TimelineDeps },
  ) {
    this.#entries = [...earlier];
    this.#id = process.id;
    this.#deps = process.deps;
  }

  get entries(): readonly TimelineEntry[] {
    return [...this.#entries];
  }

  add(type: TimelineEvent, more: Pick<TimelineEntry, 'by' | 'detail' | 'signal' | 'cause'> = {}): void {
    addEntry(this.#entries, { type, at: this.#deps.clock.epochMs(), ...more });
    // The copy has no spare capacity: few entries follow the end.
    if (type === 'process.ended') this.#entries = [...this.#entries];
    // A read is not worth a write of its own: it is saved with the next entry.
    if (type !== 'process.read') this.#deps.emit(this.#id, { type: 'record.changed' });
  }

  /** Adds a signal to a process that was lost, and whose chart has ended. */
  addForcedKill(sent: SentSignal): void {
    this.add('process.signalled', { by: 'supervisor', ...toSignalFacts(sent, { type: 'lost' }) });
  }

  /** Adds what the chart announced; `view` is the life at this moment. */
  addAnnouncement(
    announcement: ProcessAnnouncement,
    { view, cause }: { readonly view: LifeView; readonly cause: TimelineCause | null },
  ): void {
    this.add(announcement.type, {
      ...describeAnnouncement(announcement, view),
      ...(cause !== null && { cause }),
    });
  }
}

/** Reads an entry of a record; older ones name what happened in an `event` of one or two words. */
export function toTimelineEntry(recorded: TimelineEntry | OlderEntry): TimelineEntry {
  if (!('event' in recorded)) return recorded;
  const { event, ...more } = recorded;
  return { type: newNames[event] ?? (`process.${event}` as TimelineEvent), ...more };
}

/** A timeline entry in a record that an earlier version wrote. */
type OlderEntry = Omit<TimelineEntry, 'type'> & { readonly event: string };

/** Words of older entries whose name is not simply the word behind `process.`. */
const newNames: Readonly<Record<string, TimelineEvent>> = {
  'secret written': 'process.secretWritten',
  'not ready': 'process.unready',
  'limits changed': 'limits.changed',
  'leftovers ended': 'leftovers.ended',
};

/** Bound of a timeline: entries in the middle are dropped beyond it, so that a process that restarts for weeks does not grow. */
const MAX_ENTRIES = 200;
const KEPT_FIRST = 50;

/** Adds an entry in place, within the bound; of consecutive reads by the same requester only the last is kept. */
export function addEntry(timeline: TimelineEntry[], entry: TimelineEntry): void {
  const last = timeline.at(-1);
  const isRepeated = entry.type === 'process.read' && last?.type === 'process.read' && last.by === entry.by;
  if (isRepeated) timeline.pop();
  if (timeline.length >= MAX_ENTRIES) timeline.splice(KEPT_FIRST, 1);
  timeline.push(entry);
}

/** Returns whether an ended process still needs an owner: leftovers are alive, or it is persistent and its end was not delivered. */
export function hasPendingNotice({
  view,
  timeline,
}: {
  readonly view: ProcessView;
  readonly timeline: readonly TimelineEntry[];
}): boolean {
  if (!('endedAt' in view)) return false;
  const isUndelivered =
    view.lifetime === 'persistent' && !timeline.some(({ type }) => type === 'process.notified');
  return isUndelivered || view.leftovers.length > 0;
}

function describeAnnouncement(
  announcement: ProcessAnnouncement,
  view: LifeView,
): Pick<TimelineEntry, 'by' | 'detail' | 'signal'> {
  switch (announcement.type) {
    case 'process.started':
      return { detail: `attempt ${view.attempt}${'pid' in view ? `, pid ${view.pid}` : ''}` };
    case 'process.adopted':
    case 'process.released':
      return { by: 'supervisor' };
    case 'process.backgrounded':
      return { by: announcement.by };
    case 'process.signalled':
      return { by: announcement.by, ...toSignalFacts(announcement, announcement.cause) };
    case 'process.paused':
    case 'process.resumed': {
      const { by, tree } = announcement;
      const how = tree.via === 'freezer' ? ' by the freezer of its cgroup' : '';
      return { by, detail: `${countProcesses(tree.pids)}${how}` };
    }
    case 'process.survived':
      return 'survivors' in view ? { detail: describeSurvivors(view.survivors) } : {};
    case 'process.restarting':
      return 'reason' in view ? { detail: `it ${describeEnd(view.reason, null)}` } : {};
    case 'process.ended': {
      const canceller = 'reason' in view && view.reason.type === 'cancelled' ? view.reason.by : null;
      return { ...(canceller !== null && { by: canceller }), detail: view.status };
    }
    case 'process.stopping':
    case 'process.silent':
    case 'process.elapsed':
    case 'leftovers.ended':
      return {};
  }
}

/** Maximum pids of a signal in a timeline. */
const MAX_PIDS = 100;
/** Maximum pids of a signal in its text. */
const MAX_NAMED = 5;

function toSignalFacts(
  { signal, via, pids }: SentSignal,
  cause: SignalCause,
): Pick<TimelineEntry, 'detail' | 'signal'> {
  const why = describeCause(cause);
  const detail = `${signal} ${describeReceivers({ via, pids })}${why === null ? '' : `: ${why}`}`;
  return { detail, signal: { signal, via, pids: pids.slice(0, MAX_PIDS) } };
}

function describeReceivers({ via, pids }: Omit<SentSignal, 'signal'>): string {
  if (via === 'function') return 'as its abort signal';
  if (via === 'thread') return 'by ending its thread';
  const named = pids.slice(0, MAX_NAMED).join(', ') + (pids.length > MAX_NAMED ? ', …' : '');
  const how = { cgroup: ', by its cgroup', group: ', by its group', process: '' }[via];
  return `to ${countProcesses(pids)} (${named})${how}`;
}

function countProcesses({ length }: readonly number[]): string {
  return length === 1 ? '1 process' : `${length} processes`;
}

/** Returns why a signal was sent; `null` where the requester of the entry says it all. */
function describeCause(cause: SignalCause): string | null {
  switch (cause.type) {
    case 'kill':
      return 'a kill';
    case 'limit':
      return `its limit ${cause.limit} of ${formatDuration(cause.afterMs)}`;
    case 'hold':
      return 'to be restarted in order';
    case 'restart':
      return 'a restart';
    case 'grace':
      return 'alive at the end of its grace period';
    case 'leftovers':
      return `its leftovers${cause.isKept ? '' : ' are not kept'}`;
    case 'signal':
      return null;
    case 'pause':
      return 'a pause';
    case 'resume':
      return 'the end of a pause';
    case 'exit':
      return 'the paused process has ended';
    case 'hangup':
      return 'its terminal is gone';
    case 'lost':
      return 'it was lost';
  }
}
