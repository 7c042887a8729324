import type { EndReason, ExitStatus } from '../../machines/process/context.ts';
import { formatDuration } from '../config/format-duration.ts';
import { formatBytes } from '../output/cut-text.ts';
import type { ProcessView } from './process-view.ts';

/** Returns why a process ended, as the rest of a sentence that begins with "it". */
export function describeEnd(reason: EndReason, exit: ExitStatus | null): string {
  switch (reason.type) {
    case 'exited':
      return `exited with code ${reason.code}`;
    case 'signalled':
      return `was ended by ${reason.signal} ${reason.by === 'outside' ? 'from outside' : `of the ${reason.by}`}`;
    case 'timed_out':
      return `was killed at its limit ${reason.limit} of ${formatDuration(reason.afterMs)}`;
    case 'killed':
      return `was killed by the ${reason.by} with ${reason.signal}${reason.escalated ? ', then SIGKILL' : ''}${
        exit?.code == null ? '' : ` and exited with code ${exit.code}`
      }`;
    case 'spawnFailed':
      return `could not be started: ${reason.message}`;
    case 'cancelled':
      return `was cancelled by the ${reason.by} before it started${exit === null ? '' : ' again'}`;
    case 'outOfMemory':
      return `was ended by the kernel with ${reason.signal}: it exceeded its limit memoryBytes of ${formatBytes(reason.limitBytes)}`;
    case 'fileTooLarge':
      return `was ended by the kernel with ${reason.signal}: a file exceeded its limit fileBytes of ${formatBytes(reason.limitBytes)}`;
    case 'lost':
      return `was lost: ${reason.why}`;
  }
}

/** Returns a sentence that says when a time limit will end the process; none where no limit will. */
export function describeLimit(view: ProcessView): readonly string[] {
  if (!('endsAt' in view) || view.endsAt === null) return [];
  const leftMs = Math.max(0, view.endsAt - view.startedAt - view.runtimeMs);
  return [`A time limit ends it in ${formatDuration(leftMs)} if it has not ended by then.`];
}
