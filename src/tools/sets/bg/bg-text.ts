import { quote } from '../../../config/quote.ts';
import type { ProcessView } from '../../../process/process-view.ts';
import { isEnded } from '../../process-summary.ts';

/** The words of this set for our states; all others are the same. */
const states: Partial<Record<ProcessView['status'], string>> = {
  backgrounded: 'running',
  timed_out: 'timeout',
};

export function toState({ status }: ProcessView): string {
  return states[status] ?? status;
}

/** `3.2s`. */
export function toSeconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)}s`;
}

/** One line; what has ended also says how. */
export function toStatusLine(view: ProcessView): string {
  const pid = 'pid' in view && view.pid !== null ? view.pid : '-';
  const runtime = toSeconds('runtimeMs' in view ? view.runtimeMs : 0);
  const line = `id=${view.id} state=${toState(view)} pid=${pid} runtime=${runtime} cmd=${quote(view.commandLine)}`;
  const label = view.label === null ? '' : ` label=${quote(view.label)}`;
  return `${line}${label}${toExit(view)}`;
}

function toExit(view: ProcessView): string {
  if (!isEnded(view) || view.exit === null) return '';
  return view.exit.signal === null ? ` exit=${view.exit.code}` : ` signal=${view.exit.signal}`;
}
