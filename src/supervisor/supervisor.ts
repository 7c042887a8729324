import type { Observable } from 'rxjs';
import type { InspectionEvent } from 'xstate';
import type { Cancel } from '../clock/clock.ts';
import type { CommandSpec, FunctionSpec } from '../config/process-spec.ts';
import type { EndingSignal } from '../config/signal-name.ts';
import type { GroupOptions } from '../groups/group-options.ts';
import type { ProcessGroup } from '../groups/process-group.ts';
import type { Mailbox, MailboxReader } from '../mailbox/mailbox.ts';
import type { KillAnswer, KillOptions, ProcessHandle } from '../process/process-handle.ts';
import type { ProcessResult } from '../process/process-result.ts';
import type { ProcessView } from '../process/process-view.ts';
import type { ScheduleNews, ScheduleOptions, ScheduleView } from '../schedules/schedule.ts';
import type { WatchNews, WatchOptions, WatchView } from '../watches/watch.ts';
import type { RecoveryReport } from './recover.ts';
import type { Completion, RuntimeEvent } from './runtime-event.ts';
import type { ShutdownReport } from './shutdown-report.ts';

/**
 * Starts processes, watches them, and leaves none behind. Supervisors in one program are independent of each other.
 * Call `shutdown`, or hold it with `await using`.
 */
export interface Supervisor extends AsyncDisposable {
  readonly id: string;
  /** Default working directory of commands; absolute. */
  readonly cwd: string;
  /** Directory of records and logs; absolute. `null` if none are kept. */
  readonly stateDirectory: string | null;
  /** Report of the recovery at creation: processes of earlier supervisors. */
  readonly recovered: RecoveryReport;
  /**
   * The observer of the option `inspect` as actors beside its own use it: those created with `createActor(machine, { inspect })` appear below the
   * supervisor, as conversations do. `null` without that option.
   */
  readonly inspect: ((event: InspectionEvent) => void) | null;

  /**
   * Starts a process and returns its handle at once. A failed start ends the process.
   *
   * @throws TroupeError `invalid-option`, `aborted`, `background-limit`, `duplicate`, `shutting-down`; nothing has been started.
   */
  start(spec: CommandSpec | FunctionSpec): ProcessHandle;
  /**
   * Starts a process and waits until it has ended or goes to the background; see `ProcessResult`. Never rejects: an error that `start` would
   * throw becomes a result of type `refused`.
   */
  execute(spec: CommandSpec | FunctionSpec): Promise<ProcessResult>;

  /**
   * Starts processes that depend on each other; see the function `startGroup`.
   *
   * @throws TroupeError `invalid-option`; nothing has been started.
   */
  startGroup(options: GroupOptions): ProcessGroup;

  /** Returns the handle of the process with that id, live or ended and still kept. */
  get(id: string): ProcessHandle | undefined;
  /** Returns the newest process with that label: a live one, else one that has ended and is still kept. */
  find(label: string): ProcessHandle | undefined;
  /** Lists live processes in order of creation, then ended ones that are still kept. `children` includes those of owners below `owner`. */
  list(filter?: {
    /** Omits ended processes. Default: they are included. */
    readonly live?: true;
    /** Lists processes of this owner only. Default: of all owners. */
    readonly owner?: string;
    /** Includes the processes of owners below `owner`. Default: only its own. */
    readonly children?: true;
  }): readonly ProcessView[];
  /** Gives a process to another owner, who receives its end. Returns `false` for an unknown process. */
  transfer(id: string, owner: string): boolean;
  /**
   * Puts an owner below another one, which can then see its processes: see `isWithin`. Ends are still delivered only to the owner itself.
   * Returns a function that undoes this.
   *
   * @throws TroupeError `invalid-option` if an owner would be below itself.
   */
  adopt(owner: string, place: { readonly parent: string }): Cancel;
  /** Returns `true` if `owner` is `ancestor` or below it at any depth. */
  isWithin(owner: string, ancestor: string): boolean;
  /** Kills a process; for an unknown id the answer names the nearest ids. */
  kill(id: string, order?: KillOptions | EndingSignal): Promise<KillAnswer>;

  /**
   * Notifies `owner` when a process has gone quiet, or prints a matching line, until it ends. Replaces an earlier watch of the
   * same owner on the process.
   *
   * @throws TroupeError `not-found` for a process that is unknown or has ended; `invalid-option`, also for an expression that does not
   * compile.
   */
  watch(id: string, options?: WatchOptions): WatchView;
  /** Ends a watch. Returns `false` if there was none. `owner` defaults to the owner of the process. */
  unwatch(id: string, options?: { readonly owner?: string }): boolean;
  watches(filter?: { readonly owner?: string; readonly process?: string }): readonly WatchView[];
  /**
   * Notifies `owner` later. The schedule is persisted and continues under the next supervisor of the state directory.
   *
   * @throws TroupeError `not-found` for a process that is unknown or has ended; `invalid-option`; `state-directory` if the schedule
   * cannot be persisted; `shutting-down`.
   */
  schedule(options: ScheduleOptions): ScheduleView;
  /** Cancels a schedule. Returns `false` if there was none. */
  unschedule(id: string): boolean;
  schedules(filter?: { readonly owner?: string; readonly process?: string }): readonly ScheduleView[];
  /**
   * Opens the mailbox of an owner. It collects the ends of its processes, their silence, and the notices of its watches and schedules
   * until they are delivered, starting with earlier ends that were not delivered.
   *
   * Ends of persistent processes are kept for later supervisors of the state directory; everything else lasts as long as this supervisor.
   * Beyond 1 000 reminders, or 1 000 other notices, the oldest is dropped, and the next notice contains the number of dropped ones.
   * Opening the mailbox again replaces its reader; `close` stops collecting.
   */
  mailbox(owner: string, reader?: MailboxReader): Mailbox;
  /** Notifications of watches and schedules. Without a subscriber they are kept for the first one. */
  readonly news$: Observable<WatchNews | ScheduleNews>;
  /**
   * Notifications for one owner. Those that came without a subscriber are delivered first, even if `news$` has delivered them. An
   * undelivered notification of a schedule is repeated by the next supervisor; one that `news$` has delivered waits for its owner only
   * as long as this supervisor lives.
   */
  newsOf(owner: string): Observable<WatchNews | ScheduleNews>;
  /** Returns `true` if notices of this owner have a receiver now: a reader of its mailbox, or a subscriber of `newsOf` or `news$`. */
  isHeard(owner: string): boolean;

  /** Events from now on; completes at the end of the shutdown. */
  readonly events$: Observable<RuntimeEvent>;
  /** Ends of processes from now on, each after its output is in the log; completes at the end of the shutdown. */
  readonly completions$: Observable<Completion>;
  /** Views of all processes, now and after changes; at most once in each turn of the event loop. */
  readonly processes$: Observable<readonly ProcessView[]>;

  /**
   * Forgets processes that ended longer ago than `retention`, and removes logs older than `logRetention`. With `all` it forgets all ended
   * processes and their logs. Live processes are never touched.
   */
  sweep(options?: {
    readonly all?: boolean;
  }): Promise<{ readonly forgotten: number; readonly logsRemoved: number }>;
  /**
   * Ends all processes except persistent ones, within `shutdownGrace` and a few seconds. Promises that wait for the end of a persistent
   * process never resolve. Every call returns the same report.
   */
  shutdown(): Promise<ShutdownReport>;
}
