import type { ProcessAnnouncement } from '../../machines/process/events.ts';
import type { LifeView } from '../../machines/process/view.ts';
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
    case 'process.survived':
      return { event: 'survived' };
    case 'process.restarting':
      return { event: 'restarting', ...('reason' in view && { detail: view.reason.type }) };
    case 'process.silent':
      return { event: 'silent' };
    case 'process.elapsed':
      return { event: 'elapsed' };
    case 'process.ended':
      return { event: 'ended', detail: view.status };
  }
}
