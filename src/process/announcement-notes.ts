import type { ProcessAnnouncement } from '../../machines/process/events.ts';
import type { LifeView } from '../../machines/process/view.ts';
import { formatDuration } from '../config/duration.ts';
import { describeSurvivors } from '../spawn/tree/describe-survivors.ts';
import { describeEnd } from './describe-end.ts';
import type { TimelineEntry } from './timeline.ts';

/** What an announcement leaves in the timeline. */
export function toNote(announcement: ProcessAnnouncement, view: LifeView): Omit<TimelineEntry, 'at'> {
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
