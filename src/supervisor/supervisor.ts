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
 * Starts processes, watches them, and leaves none behind. Many can live in one program; none knows of the others.
 * Call `shutdown`, or hold it with `await using`.
 */
export interface Supervisor extends AsyncDisposable {
  readonly id: string;
  /** Where commands run unless they say otherwise; absolute. */
  readonly cwd: string;
  /** Where records and logs are kept; absolute. `null` where none are. */
  readonly stateDirectory: string | null;
  /** What it has found of earlier supervisors at its creation. */
  readonly recovered: RecoveryReport;

  /**
   * Starts a process and gives its handle at once; what goes wrong with the start itself is the process's end.
   *
   * @throws TroupeError `invalid-option`, `background-limit`, `duplicate`, `shutting-down`; nothing was started then.
   */
  start(spec: CommandSpec | FunctionSpec): ProcessHandle;
  /**
   * Starts a process and waits for its result, or until it goes to the background. Never rejects: what
   * `start` would throw is a result with `ok: false`.
   */
  execute(spec: CommandSpec | FunctionSpec): Promise<ResultEnvelope>;

  get(id: string): ProcessHandle | undefined;
  /** Live ones first in order of creation, then ended ones that are still kept. `children`: also those of owners under that one. */
  list(filter?: { live?: true; owner?: string; children?: true }): readonly ProcessView[];
  /** Gives a process to another owner: it sees it, and its end is told to it. `false` when there is no such process. */
  transfer(id: string, owner: string): boolean;
  /**
   * Puts an owner under another one, which from now on can see its processes: see `isWithin`. Ends are told to the owner alone.
   * Call what is given when that is over.
   *
   * @throws TroupeError `invalid-option` where an owner would stand under itself.
   */
  adopt(owner: string, place: { readonly parent: string }): Cancel;
  /** Whether `owner` is `ancestor`, or stands under it at any depth. */
  isWithin(owner: string, ancestor: string): boolean;
  /** Kills by id; an unknown one is an answer, with the nearest ids. */
  kill(id: string, options?: KillOptions): Promise<KillAnswer>;

  /**
   * Tells `owner` when a process has gone quiet, or prints a line that matches, until it ends. Another watch of the same owner on it
   * replaces this one.
   *
   * @throws TroupeError `not-found` for a process that is not there or has ended; `invalid-option`, also for an expression that does
   * not compile.
   */
  watch(id: string, options?: WatchOptions): WatchView;
  /** `false` where there was none. `owner`: by default the owner of the process. */
  unwatch(id: string, options?: { readonly owner?: string }): boolean;
  watches(filter?: { readonly owner?: string; readonly process?: string }): readonly WatchView[];
  /**
   * Tells `owner` something later. It is written down, and goes on under the next supervisor of the state directory.
   *
   * @throws TroupeError `not-found` for a process that is not there or has ended; `invalid-option`; `state-directory` where it cannot
   * be written down; `shutting-down`.
   */
  schedule(options: ScheduleOptions): ScheduleView;
  /** `false` where there was none. */
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

  /** What happens, from now on; completes at the end of the shutdown. */
  readonly events$: Observable<RuntimeEvent>;
  /** Each end, from now on, once its output is in the log; completes at the end of the shutdown. */
  readonly completions$: Observable<Completion>;
  /** The views of all that are kept, now and after each change of a status; at most once a turn of the event loop. */
  readonly processes$: Observable<readonly ProcessView[]>;

  /**
   * Forgets processes that ended longer ago than `retention` now, and removes logs older than `logRetention`. With `all` it forgets every
   * one that has ended, with its log. Live ones are never touched.
   */
  sweep(options?: {
    readonly all?: boolean;
  }): Promise<{ readonly forgotten: number; readonly logsRemoved: number }>;
  /**
   * Ends everything but what is to outlive it, within `shutdownGrace` and a few seconds. Persistent processes go on, and what was
   * waiting for their end here waits for ever. Every call gets the same report.
   */
  shutdown(): Promise<ShutdownReport>;
}
