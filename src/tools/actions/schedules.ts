import { formatDuration } from '../../config/duration.ts';
import { nearest } from '../../config/nearest.ts';
import { quote } from '../../config/quote.ts';
import { describeEnd } from '../../process/describe-end.ts';
import { isEnded } from '../../process/process-view.ts';
import type { ScheduleView } from '../../schedules/schedule.ts';
import { findProcess } from '../find-process.ts';
import { describeNotices } from '../notice-words.ts';
import { toRevealed } from '../process-summary.ts';
import type { ToolContext } from '../tool.ts';
import type { Outcome } from './outcome.ts';

interface ScheduleRequest {
  readonly message: string;
  /** Exactly one of `afterMs` and `everyMs` is given. */
  readonly afterMs?: number | undefined;
  readonly everyMs?: number | undefined;
  /** Process that the schedule belongs to and ends with. */
  readonly processId?: string | undefined;
}

interface AddedSchedule {
  readonly schedule: ScheduleView;
  readonly message: string;
}

/** @throws TroupeError `invalid-option` */
export function addSchedule(request: ScheduleRequest, context: ToolContext): Outcome<AddedSchedule> {
  const { message, afterMs, everyMs, processId } = request;
  if (processId !== undefined) {
    const found = findProcess(processId, context);
    if ('ok' in found) return found;
    const view = found.view();
    if (isEnded(view)) {
      const error = `Process ${processId} ${describeEnd(view.reason, view.exit)}, so no reminder can belong to it.`;
      return { ok: false, error, reveals: toRevealed(view), worked: true };
    }
  }
  const schedule = context.supervisor.schedule({
    owner: context.owner,
    message,
    ...(afterMs !== undefined && { after: afterMs }),
    ...(everyMs !== undefined && { every: everyMs }),
    ...(processId !== undefined && { process: processId }),
  });
  return { ok: true, value: { schedule, message: describe(schedule, { afterMs, context }) } };
}

export function listSchedules({ supervisor, owner }: ToolContext): Outcome<readonly ScheduleView[]> {
  return { ok: true, value: supervisor.schedules({ owner }) };
}

/** Cancels a schedule. Schedules of other owners are not found. */
export function cancelSchedule({ id }: { id: string }, { supervisor, owner }: ToolContext): Outcome<string> {
  const ids = supervisor.schedules({ owner }).map((schedule) => schedule.id);
  if (ids.includes(id) && supervisor.unschedule(id))
    return { ok: true, value: `Schedule ${id} is cancelled.` };
  const meant = nearest(id, ids);
  const hint =
    ids.length === 0
      ? 'There are no schedules: one that was due once, or whose process has ended, is gone.'
      : meant === null
        ? `There are: ${ids.slice(0, 5).join(', ')}${ids.length > 5 ? ', …' : ''}.`
        : `Did you mean ${meant}?`;
  return { ok: false, error: `Schedule ${quote(id)} not found. ${hint}`, worked: true };
}

function describe(
  { id, everyMs, processId }: ScheduleView,
  { afterMs = 0, context }: { afterMs: number | undefined; context: ToolContext },
): string {
  const when = everyMs === null ? `in ${formatDuration(afterMs)}` : `every ${formatDuration(everyMs)}`;
  const until = processId === null ? '' : `, until process ${processId} ends`;
  return `It is due ${when}${until}; cancel it as ${id}. ${describeNotices(context)}`;
}
