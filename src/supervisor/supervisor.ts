import type { Observable } from 'rxjs';
import type { Cancel } from '../clock/clock.ts';
import type { CommandSpec, FunctionSpec } from '../config/process-spec.ts';
import type { Mailbox, MailboxReader } from '../mailbox/mailbox.ts';
import type { KillAnswer, KillOptions, ProcessHandle } from '../process/process-handle.ts';
import type { ProcessView } from '../process/process-view.ts';
import type { ResultEnvelope } from '../process/result-envelope.ts';
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
  /** Directory of records and logs; absolute. `null` where none are kept. */
  readonly stateDirectory: string | null;
  /** What was found of earlier supervisors at the creation. */
  readonly recovered: RecoveryReport;

  /**
   * Starts a process and returns its handle at once. A start that fails is the end of the process.
   *
   * @throws TroupeError `invalid-option`, `background-limit`, `duplicate`, `shutting-down`; nothing was started then.
   */
  start(spec: CommandSpec | FunctionSpec): ProcessHandle;
  /**
   * Starts a process and waits for its result, or until it goes to the background. Never rejects: an error that `start` throws is a
   * result with `ok: false`.
   */
  execute(spec: CommandSpec | FunctionSpec): Promise<ResultEnvelope>;

  get(id: string): ProcessHandle | undefined;
  /** Lists live processes in order of creation, then ended ones that are still kept. `children` includes those of owners below `owner`. */
  list(filter?: { live?: true; owner?: string; children?: true }): readonly ProcessView[];
  /** Gives a process to another owner, to whom its end is delivered. Returns `false` for an unknown process. */
  transfer(id: string, owner: string): boolean;
  /**
   * Puts an owner below another one, which from now on can see its processes: see `isWithin`. Ends are delivered to the owner alone.
   * Returns a function that takes the owner out again.
   *
   * @throws TroupeError `invalid-option` where an owner would be below itself.
   */
  adopt(owner: string, place: { readonly parent: string }): Cancel;
  /** Whether `owner` is `ancestor`, or below it at any depth. */
  isWithin(owner: string, ancestor: string): boolean;
  /** Kills a process; for an unknown id the answer names the nearest ids. */
  kill(id: string, options?: KillOptions): Promise<KillAnswer>;

  /**
   * Notifies `owner` when a process has gone quiet, or prints a matching line, until it ends. Another watch of the same owner on the
   * process replaces this one.
   *
   * @throws TroupeError `not-found` for a process that is unknown or has ended; `invalid-option`, also for an expression that does not
   * compile.
   */
  watch(id: string, options?: WatchOptions): WatchView;
  /** Ends a watch. Returns `false` where there was none. `owner` defaults to the owner of the process. */
  unwatch(id: string, options?: { readonly owner?: string }): boolean;
  watches(filter?: { readonly owner?: string; readonly process?: string }): readonly WatchView[];
  /**
   * Notifies `owner` later. The schedule is persisted and continues under the next supervisor of the state directory.
   *
   * @throws TroupeError `not-found` for a process that is unknown or has ended; `invalid-option`; `state-directory` where the schedule
   * cannot be persisted; `shutting-down`.
   */
  schedule(options: ScheduleOptions): ScheduleView;
  /** Cancels a schedule. Returns `false` where there was none. */
  unschedule(id: string): boolean;
  schedules(filter?: { readonly owner?: string; readonly process?: string }): readonly ScheduleView[];
  /**
   * Opens the mailbox of an owner: from now on every end of its processes, their silence, and notices of its watches and schedules wait
   * in it until they are delivered; ends that came before and were not delivered are there at once. Ends stay across supervisors
   * of the state directory where their processes are persistent, everything else lasts as long as this supervisor. Beyond 1 000 reminders, or 1 000 other
   * notices, the oldest one gives way, and the next notice says how many did. Opening it again replaces the reader before; `close` ends
   * the collecting.
   */
  mailbox(owner: string, reader?: MailboxReader): Mailbox;
  /** What watches and schedules tell. What came while nobody listened is told to the first who does. */
  readonly news$: Observable<WatchNews | ScheduleNews>;
  /**
   * Those of one owner. What came while it did not listen comes first, whoever else has heard it. What nobody has heard of a schedule
   * is told by the next supervisor; what was heard on `news$` counts as told, and waits for its owner only as long as this one lives.
   */
  newsOf(owner: string): Observable<WatchNews | ScheduleNews>;
  /** Returns whether notices of this owner reach anybody now: a reader of its mailbox, `newsOf`, or `news$`. */
  isHeard(owner: string): boolean;

  /** Events from now on; completes at the end of the shutdown. */
  readonly events$: Observable<RuntimeEvent>;
  /** Ends from now on, each once its output is in the log; completes at the end of the shutdown. */
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
