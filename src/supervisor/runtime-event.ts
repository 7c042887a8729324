import type { Requester } from '../../machines/process/context.ts';
import type { FinalView, ProcessView } from '../process/process-view.ts';
import type { TimelineEvent } from '../process/timeline.ts';
import type { ScheduleView } from '../schedules/schedule.ts';
import type { ShutdownReport } from './shutdown-report.ts';

/**
 * Events of a supervisor as they happen. Those of processes are entries of the timeline, with the view. `at` is milliseconds since the
 * epoch.
 */
export type RuntimeEvent =
  | {
      /** Entries of the timeline that change what a list of processes shows. */
      readonly type: Exclude<
        TimelineEvent,
        | 'process.backgrounded'
        | 'process.ended'
        | 'process.notified'
        | 'process.read'
        | 'process.secretWritten'
        | 'process.signalled'
        | 'input.failed'
        | 'limits.changed'
      >;
      readonly at: number;
      readonly process: ProcessView;
    }
  | {
      readonly type: 'process.backgrounded';
      readonly at: number;
      readonly by: Requester;
      readonly process: ProcessView;
    }
  | { readonly type: 'process.ended'; readonly at: number; readonly process: FinalView }
  /** A subscriber or an actor threw `error`. */
  | {
      readonly type: 'process.faulted';
      readonly at: number;
      readonly process: ProcessView;
      readonly error: unknown;
    }
  /** Cancelled by a call or by the end of its process. Its undelivered notifications are void. */
  | { readonly type: 'schedule.cancelled'; readonly at: number; readonly schedule: ScheduleView }
  /** A part of the supervisor, such as its watchdog, does not work; the processes continue. */
  | {
      readonly type: 'supervisor.faulted';
      readonly at: number;
      readonly error: unknown;
      /** Number of equal faults since the last event. The first is published at once, later ones at most once a second. */
      readonly times: number;
    }
  | { readonly type: 'supervisor.stopping'; readonly at: number }
  | { readonly type: 'supervisor.stopped'; readonly at: number; readonly report: ShutdownReport };

/** The end of a process, published once everything it printed is in its log. */
export interface Completion {
  /** `<process>/<attempt>/ended`: the same completion always has the same id. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly process: FinalView;
}
