import { toErrorText } from '../config/error-text.ts';
import type { ProcessView } from '../process/process-view.ts';
import type { TimelineEntry } from '../process/timeline.ts';
import type { RuntimeEvent } from '../supervisor/runtime-event.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import type { ReportedEvent } from './protocol.ts';
import type { RequestPort } from './served-client.ts';

/** Maximum number of events waiting for a slow client; beyond it the oldest are dropped and counted for the client. */
const MAX_WAITING = 10_000;

/** Entries of a timeline that are not published as events. */
const unpublished: ReadonlySet<TimelineEntry['type']> = new Set([
  'process.notified',
  'process.read',
  'process.secretWritten',
  'process.signalled',
  'input.failed',
  'limits.changed',
]);

/**
 * Sends what has happened to the processes of this supervisor since `since`, milliseconds since the epoch, and then each event as it
 * happens, until the client leaves. Entries of an earlier supervisor, before an adoption, are not repeated.
 */
export async function sendEvents(
  supervisor: Supervisor,
  { since, port }: { readonly since: number; readonly port: RequestPort },
): Promise<null> {
  const past = supervisor
    .list()
    .flatMap((view) => toPastEvents(view, { timeline: supervisor.get(view.id)?.timeline() ?? [], since }))
    .toSorted((a, b) => a.at - b.at);
  const toldEnds = new Set(past.flatMap((each) => (each.type === 'process.ended' ? [each.process.id] : [])));
  let waiting: ReportedEvent[] = past;
  let dropped = 0;
  let wake = () => {};
  const subscription = supervisor.events$.subscribe((event) => {
    // An end is published after it has entered the timeline.
    if (event.type === 'process.ended' && toldEnds.delete(event.process.id)) return;
    waiting.push(toReported(event));
    if (waiting.length > MAX_WAITING) {
      waiting.shift();
      dropped += 1;
    }
    wake();
  });
  port.signal.addEventListener('abort', () => wake());
  try {
    while (!port.signal.aborted) {
      if (dropped > 0) {
        const count = dropped;
        dropped = 0;
        await port.send({ type: 'events.dropped', at: Date.now(), count });
      }
      const taken = waiting;
      waiting = [];
      for (const event of taken) await port.send(event);
      if (waiting.length > 0 || port.signal.aborted) continue;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    return null;
  } finally {
    subscription.unsubscribe();
  }
}

type PastEvent = TimelineEntry & { readonly process: ProcessView };

function toPastEvents(
  process: ProcessView,
  { timeline, since }: { timeline: readonly TimelineEntry[]; since: number },
): readonly PastEvent[] {
  const adopted = timeline.findLastIndex(({ type }) => type === 'process.adopted');
  return timeline
    .slice(Math.max(0, adopted))
    .flatMap((entry) => (entry.at >= since && !unpublished.has(entry.type) ? [{ ...entry, process }] : []));
}

/** JSON cannot hold an error. */
function toReported(event: RuntimeEvent): ReportedEvent {
  return 'error' in event ? { ...event, error: toErrorText(event.error) } : event;
}
