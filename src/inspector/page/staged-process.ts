import type { ProcessView } from '../../process/process-view.ts';
import type { TimelineEntry } from '../../process/timeline.ts';

/** State of a process between two moments; `turn` is the work of an agent. */
export type SpanState =
  | 'pending'
  | 'running'
  | 'backgrounded'
  | 'stopping'
  | 'restarting'
  | 'turn'
  | 'machine';

/** Part of a lane. Times are in milliseconds since the epoch; `to` is `null` while it lasts. */
export interface Span {
  readonly state: SpanState;
  readonly from: number;
  readonly to: number | null;
}

/** Moment in a lane that is worth a mark. */
export interface Mark {
  readonly type: 'ready' | 'unready' | 'silent' | 'signalled' | 'paused' | 'resumed' | 'survived' | 'adopted';
  readonly at: number;
  readonly text: string;
}

/** Process as it was at a moment. */
export interface StagedProcess {
  readonly view: ProcessView;
  readonly status: ProcessView['status'];
  readonly endedAt: number | null;
  readonly spans: readonly Span[];
  readonly marks: readonly Mark[];
}

/** Returns the state of a process at a given time. */
export function toStaged(
  view: ProcessView,
  { timeline, at }: { readonly timeline: readonly TimelineEntry[]; readonly at: number },
): StagedProcess {
  const endedAt = 'endedAt' in view && view.endedAt <= at ? view.endedAt : null;
  const spans = toSpans(view, { timeline, at });
  const state = spans.at(-1)?.state;
  const isNow = endedAt !== null || !('endedAt' in view);
  // Of an ended process before its end, the state of its last span is known.
  const before = state === undefined || state === 'turn' || state === 'machine' ? 'pending' : state;
  const last = timeline.at(-1);
  const status = isNow && (last === undefined || last.at <= at) ? view.status : before;
  return { view, endedAt, spans, marks: toMarks(timeline, at), status };
}

const stateAfter: Partial<Record<TimelineEntry['type'], SpanState>> = {
  'process.created': 'pending',
  'process.adopted': 'backgrounded',
  'process.backgrounded': 'backgrounded',
  'process.stopping': 'stopping',
  'process.restarting': 'restarting',
};

/** Returns the states that the process was in, one after the other. */
function toSpans(
  view: ProcessView,
  { timeline, at }: { readonly timeline: readonly TimelineEntry[]; readonly at: number },
): readonly Span[] {
  const spans: { state: SpanState; from: number; to: number | null }[] = [];
  const backgroundedAt = 'backgroundedAt' in view ? view.backgroundedAt : null;
  for (const entry of timeline) {
    if (entry.at > at) break;
    const last = spans.at(-1);
    const isBackground = backgroundedAt !== null && backgroundedAt <= entry.at;
    const state =
      entry.type === 'process.started' ? (isBackground ? 'backgrounded' : 'running') : stateAfter[entry.type];
    if (entry.type === 'process.ended' && last !== undefined) last.to = entry.at;
    if (state === undefined || state === last?.state) continue;
    if (last !== undefined) last.to = entry.at;
    spans.push({ state, from: entry.at, to: null });
  }
  const last = spans.at(-1);
  // A record without its last entry still has the end.
  if (last?.to === null && 'endedAt' in view && view.endedAt <= at) last.to = view.endedAt;
  return spans;
}

const marked: Partial<Record<TimelineEntry['type'], Mark['type']>> = {
  'process.ready': 'ready',
  'process.unready': 'unready',
  'process.silent': 'silent',
  'process.signalled': 'signalled',
  'process.paused': 'paused',
  'process.resumed': 'resumed',
  'process.survived': 'survived',
  'process.adopted': 'adopted',
};

function toMarks(timeline: readonly TimelineEntry[], at: number): readonly Mark[] {
  return timeline.flatMap((entry) => {
    const type = marked[entry.type];
    return type === undefined || entry.at > at ? [] : [{ type, at: entry.at, text: entry.detail ?? '' }];
  });
}
