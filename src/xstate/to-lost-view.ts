import { unknownEnd } from '../../machines/process/context.ts';
import { type FinalView, type ProcessView, toFacts } from '../process/process-view.ts';

const WHY = 'its supervisor does not know it: its record was not kept, or is in another state directory';

/** Converts the last known view of a process that its supervisor does not know any more; an end that is known stays. */
export function toLostView(view: ProcessView): FinalView {
  if ('endedAt' in view) return view;
  const { output, createdAt } = view;
  const startedAt = 'startedAt' in view ? view.startedAt : null;
  return {
    ...{ ...toFacts(view), progress: null, awaitsInput: null },
    status: 'lost',
    pid: 'pid' in view ? view.pid : null,
    startedAt,
    backgroundedAt: 'backgroundedAt' in view ? view.backgroundedAt : null,
    // Unknown; the last thing that is known of it.
    endedAt: output.lastOutputAt ?? startedAt ?? createdAt,
    runtimeMs: 'runtimeMs' in view ? view.runtimeMs : 0,
    restarts: 'restarts' in view ? view.restarts : 0,
    ...unknownEnd,
    reason: { type: 'lost', why: WHY },
  };
}
