import type { WriteResult } from '../../machines/process/events.ts';
import type { CaptureAnswer, TerminalSize } from '../../machines/process/terminal.ts';
import type { Duration } from '../config/duration.ts';
import type { KeyOrder } from '../config/terminal-options.ts';
import type { WaitOptions } from '../config/wait-options.ts';
import type { Waited } from '../observe/wait-for.ts';
import type { OutputTimes } from '../output/log-times.ts';
import type { OutputRead, ReadOptions } from '../output/read-output.ts';
import type { KillAnswer, KillOptions, LimitChanges } from '../process/process-handle.ts';
import type { CaptureOptions } from '../process/process-terminal.ts';
import type { FinalView, ProcessView } from '../process/process-view.ts';
import type { TimelineEntry } from '../process/timeline.ts';
import type { ScheduleOptions, ScheduleView } from '../schedules/schedule.ts';
import type { SupervisorState } from '../store/supervisor-registry.ts';
import type { WatchNews, WatchView } from '../watches/watch.ts';

/** A process as it is seen from outside its supervisor. */
export interface SeenProcess {
  readonly view: ProcessView;
  readonly supervisorId: string;
  /** Its supervisor answered. Else this is what its record says, which for a live one may be out of date. */
  readonly answered: boolean;
}

/** A piece of output as it is followed. */
export interface FollowedText {
  readonly stream: 'stdout' | 'stderr' | 'screen';
  readonly bytes: Uint8Array;
  /** Bytes of all streams before it: where reading goes on after a connection broke. */
  readonly offset: number;
  /** Bytes that are missing right before it. A gap comes by itself, without bytes, as soon as it is known. */
  readonly droppedBytes: number;
}

/** What is waited for. */
export type WaitOrder = Omit<WaitOptions, 'timeout' | 'signal' | 'clock'>;

/** A schedule and who keeps it. */
export type SeenSchedule = ScheduleView & {
  readonly supervisorId: string;
  /** Its supervisor answered. Else it is what was written down. */
  readonly answered: boolean;
  /** How its supervisor is: of one that is dead, nobody keeps the schedule now. */
  readonly keeper: SupervisorState;
};

/** A schedule that was just added. */
export type AddedSchedule = SeenSchedule & {
  /** Somebody listens as its owner now; `null` where the supervisor does not say. */
  readonly isHeard: boolean | null;
};

/**
 * All processes of a state directory, whoever supervises them: what a person at a shell sees and steers. Supervisors that answer are
 * asked; of the others the records and logs are read directly, and a kill goes by proven identity.
 *
 * Ids are whole: a short form is made whole with `list`. Calls reject with TroupeError: `not-found` for an id that is
 * nowhere, `unreachable` where a supervisor is alive and does not answer, or does not let this user in.
 */
export interface StateDirectory {
  /** Absolute. */
  readonly path: string;
  /**
   * Live ones first, in order of creation, then ended ones. `warnings`: damaged records, supervisors that do not answer; a sentence each.
   * `onlyLive`: those that have ended without live leftovers are left out, and their records are not read to the end, so damage there is
   * not told.
   */
  list(options?: {
    readonly onlyLive?: boolean;
  }): Promise<{ readonly processes: readonly SeenProcess[]; readonly warnings: readonly string[] }>;
  show(id: string): Promise<SeenProcess & { readonly timeline: readonly TimelineEntry[] }>;
  read(id: string, options?: ReadOptions): Promise<OutputRead>;
  /** When the output came, by the same offsets; no marks where that is unknown. */
  times(id: string): Promise<OutputTimes>;
  /**
   * The output from an offset on, as it comes, until the process has ended and all of it was given. Goes on through restarts of the
   * process, and when another supervisor adopts it: no byte is lost or given twice.
   */
  follow(
    id: string,
    options: { readonly from: number; readonly signal?: AbortSignal },
  ): AsyncIterable<FollowedText>;
  /** Resolves at the end, also one that comes after another supervisor has adopted it. */
  wait(id: string, options?: { readonly signal?: AbortSignal }): Promise<FinalView>;
  /**
   * Waits for something of a process; see `WaitOptions`. Where nobody supervises it, for its end or for somebody who does. Rejects with
   * the signal's reason once that is aborted.
   */
  waitFor(id: string, order: WaitOrder, options?: { readonly signal?: AbortSignal }): Promise<Waited>;
  kill(id: string, options?: KillOptions): Promise<KillAnswer>;
  write(id: string, data: Uint8Array): Promise<WriteResult>;
  endInput(id: string): Promise<WriteResult>;
  /** What its terminal shows; of one that has ended, what it showed last. */
  capture(id: string, options?: CaptureOptions): Promise<CaptureAnswer>;
  sendKeys(id: string, order: KeyOrder): Promise<WriteResult>;
  /** @throws TroupeError `invalid-option` for a text of a megabyte. */
  paste(id: string, text: string): Promise<WriteResult>;
  resize(id: string, size: TerminalSize): Promise<WriteResult>;
  /** Without `value` its supervisor knows the secret by its name. */
  writeSecret(
    id: string,
    secret: { readonly name: string; readonly value?: string; readonly pressEnter?: boolean },
  ): Promise<WriteResult>;
  /** What a watch tells as it comes, until the process has ended; it is of this caller alone, and goes with it. */
  watch(
    id: string,
    options: { readonly quiet?: Duration; readonly pattern?: string; readonly signal?: AbortSignal },
  ): AsyncIterable<WatchNews>;
  /** Removes a watch of somebody, by default of the process's owner. `false` where there was none. */
  unwatch(id: string, options?: { readonly owner?: string }): Promise<boolean>;
  /** Of the supervisors that answer. */
  watches(filter?: { readonly owner?: string; readonly process?: string }): Promise<readonly WatchView[]>;
  /** Kept by the supervisor of its process, by the one that is named, or by the only one there is. */
  schedule(options: ScheduleOptions & { readonly supervisorId?: string }): Promise<AddedSchedule>;
  /** `false` where there was none. Rejects as `unreachable` where its supervisor cannot be asked; then nothing was taken back. */
  unschedule(id: string): Promise<boolean>;
  /** The next one first. `warnings`: damaged records, supervisors that do not answer; a sentence each. */
  schedules(filter?: { readonly owner?: string; readonly process?: string }): Promise<{
    readonly schedules: readonly SeenSchedule[];
    readonly warnings: readonly string[];
  }>;
  /** `false` when it had ended or was stopping. */
  restart(id: string): Promise<boolean>;
  changeLimits(id: string, changes: LimitChanges): Promise<boolean>;
  /**
   * Forgets ended processes and old logs, those of supervisors that are gone, too. Live ones are never touched. `dryRun`: says what
   * would go, and removes nothing. `warnings`: a sentence for each supervisor that does not answer; what it keeps stays.
   */
  sweep(options?: { readonly all?: boolean; readonly dryRun?: boolean }): Promise<{
    readonly forgotten: number;
    readonly logsRemoved: number;
    readonly freedBytes: number;
    readonly warnings: readonly string[];
  }>;
  /** Lets go of the connections; no process is touched. */
  close(): void;
}
