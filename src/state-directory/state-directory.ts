import type { WriteResult } from '../../machines/process/events.ts';
import type { CaptureAnswer, TerminalSize } from '../../machines/process/terminal.ts';
import type { Duration } from '../config/duration.ts';
import type { CaptureOptions, KeyOrder } from '../config/terminal-options.ts';
import type { WaitOptions } from '../config/wait-options.ts';
import type { ReportedEvent } from '../control/protocol.ts';
import type { FollowedText } from '../output/followed-text.ts';
import type { OutputTimes } from '../output/output-times.ts';
import type { OutputRead, ReadOptions } from '../output/read-output.ts';
import type {
  KillAnswer,
  KillOptions,
  LimitChanges,
  SignalAnswer,
  SignalOptions,
} from '../process/process-handle.ts';
import type { FinalView, ProcessView } from '../process/process-view.ts';
import type { TimelineEntry } from '../process/timeline.ts';
import type { Waited } from '../process/waited.ts';
import type { ScheduleOptions, ScheduleView } from '../schedules/schedule.ts';
import type { SupervisorState } from '../store/supervisor-registry.ts';
import type { WatchNews, WatchView } from '../watches/watch.ts';

/** Process seen from outside its supervisor. */
export interface SeenProcess {
  readonly view: ProcessView;
  readonly supervisorId: string;
  /** `true` if its supervisor answered. Otherwise the view is its record, which may be out of date for a live process. */
  readonly answered: boolean;
}

/** Conditions to wait for. */
export type WaitOrder = Omit<WaitOptions, 'timeout' | 'signal' | 'clock'>;

/** Event with the supervisor that reported it. */
export type SeenEvent = (
  | ReportedEvent
  /** The events of a live supervisor are unavailable: it does not answer, or runs an older version. */
  | { readonly type: 'supervisor.unheard'; readonly at: number; readonly why: string }
) & { readonly supervisorId: string };

/** Schedule with the supervisor that runs it. */
export type SeenSchedule = ScheduleView & {
  readonly supervisorId: string;
  /** `true` if its supervisor answered. Otherwise the schedule is read from its record. */
  readonly answered: boolean;
  /** State of its supervisor; the schedule of a dead one is not running. */
  readonly keeper: SupervisorState;
};

/** Schedule that was just added. */
export type AddedSchedule = SeenSchedule & {
  /** `true` if a program currently listens as its owner; `null` if the supervisor does not say. */
  readonly isHeard: boolean | null;
};

/**
 * View of all processes of a state directory, across supervisors, as a person at a shell sees and controls them.
 * Supervisors that answer are asked; for the others records and logs are read directly, and a kill relies on proven
 * identity.
 *
 * Ids are complete; expand a short form with `list`. Calls reject with TroupeError: `not-found` for an unknown id,
 * `unreachable` where a live supervisor does not answer or denies access.
 */
export interface StateDirectory {
  /** Absolute path. */
  readonly path: string;
  /**
   * Lists live processes first, in order of creation, then ended ones. `warnings`: one sentence per damaged record and
   * per supervisor that does not answer. `onlyLive`: omits ended processes without live leftovers; their records are
   * not read completely, so damage in them is not reported.
   */
  list(options?: {
    readonly onlyLive?: boolean;
  }): Promise<{ readonly processes: readonly SeenProcess[]; readonly warnings: readonly string[] }>;
  show(id: string): Promise<SeenProcess & { readonly timeline: readonly TimelineEntry[] }>;
  read(id: string, options?: ReadOptions): Promise<OutputRead>;
  /** Returns when the output arrived, by the same offsets; no marks where that is unknown. */
  times(id: string): Promise<OutputTimes>;
  /**
   * Streams the output from an offset until the process has ended and all of it was delivered. Continues across
   * restarts of the process and adoption by another supervisor: no byte is lost or repeated.
   */
  follow(
    id: string,
    options: { readonly from: number; readonly signal?: AbortSignal },
  ): AsyncIterable<FollowedText>;
  /** Resolves at the end, also after adoption by another supervisor. */
  wait(id: string, options?: { readonly signal?: AbortSignal }): Promise<FinalView>;
  /**
   * Waits for conditions of a process; see `WaitOptions`. Without a supervisor it waits for the end or for adoption.
   * Rejects with the signal's reason once aborted.
   */
  waitFor(id: string, order: WaitOrder, options?: { readonly signal?: AbortSignal }): Promise<Waited>;
  kill(id: string, options?: KillOptions): Promise<KillAnswer>;
  /** Sends a signal that does not stop the process. Only a supervisor does that, so it rejects with `unreachable` where there is none. */
  signal(id: string, options: SignalOptions): Promise<SignalAnswer>;
  /** Halts a process with everything it started; see `signal`. */
  pause(id: string): Promise<SignalAnswer>;
  resume(id: string): Promise<SignalAnswer>;
  write(id: string, data: Uint8Array): Promise<WriteResult>;
  endInput(id: string): Promise<WriteResult>;
  /** Returns the screen of its terminal; for an ended process, the last one. */
  capture(id: string, options?: CaptureOptions): Promise<CaptureAnswer>;
  sendKeys(id: string, order: KeyOrder): Promise<WriteResult>;
  /** @throws TroupeError `invalid-option` for a text of a megabyte. */
  paste(id: string, text: string): Promise<WriteResult>;
  resize(id: string, size: TerminalSize): Promise<WriteResult>;
  /** Writes a secret, and presses Enter unless `pressEnter` is `false`; without `value` its supervisor looks it up by name. */
  writeSecret(
    id: string,
    secret: { readonly name: string; readonly value?: string; readonly pressEnter?: boolean },
  ): Promise<WriteResult>;
  /**
   * Streams the notifications of a watch until the process has ended. The watch belongs to this caller and ends with
   * it.
   */
  watch(
    id: string,
    options: { readonly quiet?: Duration; readonly pattern?: string; readonly signal?: AbortSignal },
  ): AsyncIterable<WatchNews>;
  /**
   * Streams the events of all supervisors since a time, in milliseconds since the epoch, until `signal` is aborted. Supervisors that start
   * later are included. A supervisor that lives for less than a second may be missed if the file system does not report changes.
   */
  events(options: { readonly since: number; readonly signal: AbortSignal }): AsyncIterable<SeenEvent>;
  /** Removes a watch, by default the one of the process's owner. Returns `false` where there was none. */
  unwatch(id: string, options?: { readonly owner?: string }): Promise<boolean>;
  /** Lists the watches of supervisors that answer. */
  watches(filter?: { readonly owner?: string; readonly process?: string }): Promise<readonly WatchView[]>;
  /** Adds a schedule to the supervisor of its process, to the named one, or to the only one. */
  schedule(options: ScheduleOptions & { readonly supervisorId?: string }): Promise<AddedSchedule>;
  /**
   * Cancels a schedule; `false` where there was none. Rejects with `unreachable` where its supervisor cannot be asked;
   * nothing is cancelled then.
   */
  unschedule(id: string): Promise<boolean>;
  /**
   * Lists schedules by next time. `warnings`: one sentence per damaged record and per supervisor that does not answer.
   */
  schedules(filter?: { readonly owner?: string; readonly process?: string }): Promise<{
    readonly schedules: readonly SeenSchedule[];
    readonly warnings: readonly string[];
  }>;
  /** Returns `false` when the process had ended or was stopping. */
  restart(id: string): Promise<boolean>;
  /** Lets a foreground process continue in the background. Returns `false` when it did not run in the foreground. */
  background(id: string): Promise<boolean>;
  changeLimits(id: string, changes: LimitChanges): Promise<boolean>;
  /**
   * Removes ended processes and old logs, including those of supervisors that are gone. Live processes are never
   * touched. `dryRun`: reports without removing. `warnings`: one sentence per supervisor that does not answer; its
   * processes are kept.
   */
  sweep(options?: { readonly all?: boolean; readonly dryRun?: boolean }): Promise<{
    readonly forgotten: number;
    readonly logsRemoved: number;
    readonly freedBytes: number;
    readonly warnings: readonly string[];
  }>;
  /** Closes the connections; no process is touched. */
  close(): void;
}
