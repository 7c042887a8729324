import type { Duration } from '../config/duration.ts';

/** Something to be told later: once `after` so long, or `every` so long again and again. One of the two. */
export interface ScheduleOptions {
  /** Who is told. Default: the supervisor's own owner. */
  readonly owner?: string;
  /** The words. */
  readonly message: string;
  readonly after?: Duration;
  /** At least 1 s. */
  readonly every?: Duration;
  /** It goes when that process has ended, before anybody is told of the end. */
  readonly process?: string;
}

/** Plain data: it can be written down. Times are milliseconds since the epoch. */
export interface ScheduleView {
  readonly id: string;
  readonly owner: string;
  readonly message: string;
  /** `null`: once. */
  readonly everyMs: number | null;
  readonly nextAt: number;
  readonly processId: string | null;
  readonly createdAt: number;
  /** How often it has been told. */
  readonly told: number;
}

/** It is due. `id` is the same for the same news everywhere. */
export interface ScheduleNews {
  readonly type: 'schedule.due';
  readonly id: string;
  readonly at: number;
  readonly owner: string;
  readonly schedule: ScheduleView;
  /** How often it was due before while nobody was there to tell it. */
  readonly missed: number;
}
