import { formatDuration } from '../../config/format-duration.ts';
import { describeEnd } from '../../process/describe-end.ts';
import type { ProcessView } from '../../process/process-view.ts';
import type { StagedProcess } from './staged-process.ts';

/** Returns the time of day, with milliseconds where a step of the axis is shorter than a second. */
export function toClock(time: number, stepMs = 1_000): string {
  const date = new Date(time);
  const day =
    stepMs >= 24 * 3_600_000 ? `${date.toLocaleDateString([], { month: 'short', day: 'numeric' })} ` : '';
  const two = (value: number) => String(value).padStart(2, '0');
  const clock = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  return day + (stepMs < 1_000 ? `${clock}.${String(date.getMilliseconds()).padStart(3, '0')}` : clock);
}

export function toName({ label, id }: Pick<ProcessView, 'label' | 'id'>): string {
  return label ?? id;
}

/** Returns the end in two words: `code 1`, `SIGTERM`, `timed out`. */
export function toEndWord(view: ProcessView): string {
  if (!('endedAt' in view)) return view.status;
  if (view.status === 'timed_out') return 'timed out';
  if (view.status === 'lost') return 'lost';
  if (view.reason.type === 'spawnFailed') return 'could not start';
  const { exit } = view;
  if (exit === null) return view.status;
  return exit.signal === null ? `code ${exit.code}` : exit.signal;
}

/** Returns the end as a clause: `exited with code 1`. */
export function toEndClause(view: ProcessView): string | null {
  return 'endedAt' in view ? describeEnd(view.reason, view.exit) : null;
}

/** Returns how long the process has run at that moment; `null` before its start. */
export function toRuntime({ view, spans, endedAt }: StagedProcess, at: number): string | null {
  const begin =
    spans.find(({ state }) => state !== 'pending')?.from ?? ('startedAt' in view ? view.startedAt : null);
  return begin === null || begin > at ? null : formatDuration(Math.max(0, (endedAt ?? at) - begin));
}
