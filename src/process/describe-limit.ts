import { formatDuration } from '../config/format-duration.ts';
import type { ProcessView } from './process-view.ts';

/** Says when a time limit will end the process; nothing where none will. */
export function describeLimit(view: ProcessView): readonly string[] {
  if (!('endsAt' in view) || view.endsAt === null) return [];
  const leftMs = Math.max(0, view.endsAt - view.startedAt - view.runtimeMs);
  return [`A time limit ends it in ${formatDuration(leftMs)} if it has not ended by then.`];
}
