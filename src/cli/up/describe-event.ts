import { formatDuration } from '../../config/duration.ts';
import { describeEnd } from '../../process/describe-end.ts';
import type { RuntimeEvent } from '../../supervisor/runtime-event.ts';

/** What happened to a process of a stack, as a person wants to hear it; `null` where there is nothing to say. */
export function describeEvent(event: RuntimeEvent): string | null {
  switch (event.type) {
    case 'process.ready': {
      const { process } = event;
      const after =
        'ready' in process && process.ready.state === 'ready'
          ? ` after ${formatDuration(process.ready.afterMs)}`
          : '';
      return `is ready${after}`;
    }
    case 'process.unready':
      return 'ready' in event.process && event.process.ready.state === 'failed'
        ? `is not ready: ${event.process.ready.why}`
        : 'is not ready';
    case 'process.started':
      return event.process.attempt === 1 ? null : `was started again (attempt ${event.process.attempt})`;
    case 'process.restarting':
      return event.process.status === 'restarting'
        ? `${describeEnd(event.process.reason, null)}; it is started again`
        : 'is started again';
    case 'process.ended':
      return describeEnd(event.process.reason, event.process.exit);
    default:
      return null;
  }
}
