import { scheduleBounds } from '../config/schedule-bounds.ts';
import { matching, object, orNull, type Shape, text } from '../config/shape.ts';
import type { ScheduleView } from './schedule.ts';

/** Record of a schedule: `schedules/<id>.json` in the state directory. `nextAt` is the first time without a delivered notification. */
export interface ScheduleRecord {
  readonly version: 1;
  /** Supervisor that owns or owned the schedule. */
  readonly supervisorId: string;
  readonly schedule: ScheduleView;
}

const { minEveryMs, maxSpanMs, maxEpochMs } = scheduleBounds;

function whole({ least, most }: { least: number; most: number }): Shape {
  return (value) => (Number.isInteger(value) && Number(value) >= least && Number(value) <= most ? null : '');
}

const moment = whole({ least: -maxEpochMs, most: maxEpochMs });

const schedule = object({
  id: text,
  owner: text,
  message: text,
  everyMs: orNull(whole({ least: minEveryMs, most: maxSpanMs })),
  nextAt: moment,
  processId: orNull(text),
  createdAt: moment,
  told: whole({ least: 0, most: Number.MAX_SAFE_INTEGER }),
});

const shape: Shape = object({ supervisorId: matching(/^[\w-]{1,64}$/), schedule });

/** Parses a file as the schedule of that id, or returns a clause that explains why that is not possible. */
export function readScheduleRecord(
  value: unknown,
  id: string,
): { ok: true; record: ScheduleRecord } | { ok: false; why: string } {
  if (typeof value !== 'object' || value === null) return { ok: false, why: 'it is not an object' };
  const { version } = value as { version?: unknown };
  if (version !== 1) {
    const found = JSON.stringify(version) ?? 'not there';
    return { ok: false, why: `its version is ${found}; this troupe reads version 1` };
  }
  const wrong = shape(value);
  if (wrong !== null) return { ok: false, why: `"${wrong.slice(1)}" is not valid in a schedule` };
  const record = value as ScheduleRecord;
  return record.schedule.id === id
    ? { ok: true, record }
    : { ok: false, why: 'it is the record of another schedule' };
}
