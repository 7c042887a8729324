import type { Duration } from '../config/duration.ts';

/** A notification for later: once `after` a duration, or `every` time it has passed. Exactly one of the two. */
export interface ScheduleOptions {
  /** Owner to notify. Default: the supervisor's own owner. */
  readonly owner?: string;
  /** Text of the notification, 64 KiB at most. */
  readonly message: string;
  /** Time until it is due, once; at most 10 years. */
  readonly after?: Duration;
  /** Interval after which it is due again and again; 1 s to 10 years. */
  readonly every?: Duration;
  /** Id of the process whose end cancels the schedule, before the end is published. Default: none. */
  readonly process?: string;
}

/** A schedule as plain data. Times are milliseconds since the epoch. */
export interface ScheduleView {
  readonly id: string;
  readonly owner: string;
  readonly message: string;
  /** `null` for a schedule that is due once. */
  readonly everyMs: number | null;
  readonly nextAt: number;
  readonly processId: string | null;
  readonly createdAt: number;
  /** Number of notifications so far. */
  readonly told: number;
}

/** Notification of a due schedule. The same notification has the same `id` everywhere. */
export interface ScheduleNews {
  readonly type: 'schedule.due';
  readonly id: string;
  readonly at: number;
  readonly owner: string;
  readonly schedule: ScheduleView;
  /** Number of earlier due times without a notification. */
  readonly missed: number;
}
