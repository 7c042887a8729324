import type { Observable } from 'rxjs';
import type { KillReceipt, ProcessSignal, Requester, TreeMember } from '../../machines/process/context.ts';
import type { WriteResult } from '../../machines/process/events.ts';
import type { CaptureAnswer, TerminalSize } from '../../machines/process/terminal.ts';
import type { ProcessStatus } from '../../machines/process/view.ts';
import type { Duration } from '../config/duration.ts';
import type { KeyOrder } from '../config/terminal-options.ts';
import type { OutputLine } from '../output/lines.ts';
import type { OutputTimes } from '../output/log-times.ts';
import type { OutputGap, OutputPiece } from '../output/output-chunk.ts';
import type { OutputRead, ReadOptions } from '../output/read-output.ts';
import type { OutputReader } from '../output/reader.ts';
import type { SecretOptions } from '../secrets/write-secret.ts';
import type { CaptureOptions } from './process-terminal.ts';
import type { AwaitedInput, FinalView, ProcessView, ReadyView } from './process-view.ts';
import type { ResultEnvelope } from './result-envelope.ts';
import type { TimelineEntry } from './timeline.ts';

export interface KillOptions {
  /** The first signal. Default SIGTERM; SIGKILL follows at the end of the grace. */
  readonly signal?: ProcessSignal;
  /** From the first signal to SIGKILL. Default: the process's `killGrace`. */
  readonly grace?: Duration;
  /** Who asks. Default `user`. */
  readonly by?: Requester;
}

/**
 * What became of an order to kill. It is given once the tree is proven gone, or once something is known to have
 * survived; `message` says it in words. Orders given at the same time share one receipt.
 */
export type KillAnswer =
  | { readonly type: 'killed' | 'alreadyStopping'; readonly receipt: KillReceipt; readonly message: string }
  /** Something is alive although SIGKILL was sent: `receipt.survivors`. The message says why, as far as it is known. */
  | { readonly type: 'survived'; readonly receipt: KillReceipt; readonly message: string }
  /** It was waiting for a slot or for a restart. */
  | { readonly type: 'cancelled'; readonly message: string }
  /** It had ended; only what it left behind was there to kill. */
  | { readonly type: 'leftoversEnded'; readonly receipt: KillReceipt; readonly message: string }
  | { readonly type: 'notRunning'; readonly message: string }
  | { readonly type: 'notFound'; readonly nearest: readonly string[]; readonly message: string };

/** Limits that may change while a process runs; 0 means none. */
export interface LimitChanges {
  readonly timeout?: Duration;
  readonly maxExecutionTime?: Duration;
  readonly maxBackgroundTime?: Duration;
}

/**
 * One supervised process. The handle stays good after the end, for as long as somebody holds it; whoever comes late
 * gets the state, the output and the end all the same.
 */
export interface ProcessHandle {
  readonly id: string;
  readonly status: ProcessStatus;
  /** As it is now. */
  view(): ProcessView;
  /** What happened to it, oldest first. */
  timeline(): readonly TimelineEntry[];

  /** Resolves once, at the end, with everything the process printed already in the log. Never rejects. */
  readonly ended: Promise<FinalView>;
  /** Resolves when it is ready, or with the reason why it will not be. At once where no readiness was declared. */
  ready(): Promise<ReadyView>;
  /** Resolves when nobody waits for it any more: at its end, or when it goes to the background. */
  result(): Promise<ResultEnvelope>;

  /** The status now and each one after it; completes at the end. */
  readonly status$: Observable<ProcessStatus>;
  /** The view now and after each change of status or readiness; completes at the end. */
  readonly view$: Observable<ProcessView>;
  /** What is kept of the output, then what comes; completes once, at the end. */
  readonly output$: Observable<OutputPiece>;
  /** The same by line, each once it is complete. */
  readonly lines$: Observable<OutputLine | OutputGap>;
  /**
   * The output piece by piece, as fast as the caller takes it: memory does not grow behind a slow one, and what it has dropped meanwhile
   * is read from the log file. Gaps stand for what that does not have either. From the beginning, or the offset `from`, to the end of the
   * process, or until `signal` is aborted.
   */
  output(options?: {
    readonly from?: number;
    readonly signal?: AbortSignal;
  }): AsyncGenerator<OutputPiece, void>;

  /** Reads what is kept; see `ReadOptions`. Who reads, if it is said, stands in the timeline. */
  read(options?: ReadOptions, by?: Requester): OutputRead;
  /** When its output came, by the offsets that `read` has, as far as its log's index says. */
  times(): OutputTimes;
  /** The reader of that name, with a cursor of its own. The same name gives the same reader. */
  reader(name: string): OutputReader;

  /**
   * Writes to its stdin, which must have been asked for with `stdin: 'pipe'`. Waits at most 10 s for it to read; in tmux, which takes
   * everything at once, an ok does not say that anything was read.
   */
  write(data: string | Uint8Array): Promise<WriteResult>;
  writeLine(line: string): Promise<WriteResult>;
  /** End-of-file on its stdin. */
  endInput(): Promise<WriteResult>;

  /**
   * Gives it a secret of the supervisor's option `secrets`: typed in its terminal, else written to its stdin. Before that the value is
   * hidden in all that is shown and kept of this process. One that writes its log by itself gets it only while its terminal hides what
   * is typed, and what it prints of it by itself stands in that file. A secret that is not there, or that nobody gave, is an answer,
   * which does not say the value.
   */
  writeSecret(name: string, options?: SecretOptions): Promise<WriteResult>;

  /** What its terminal shows, or where there was one showed last; where there is none, the answer says so. */
  capture(options?: CaptureOptions): Promise<CaptureAnswer>;
  /** Types in its terminal: the text as it stands, then the keys, then Enter. A key that does not exist is an answer. */
  sendKeys(order: KeyOrder): Promise<WriteResult>;
  /**
   * Types a text in one piece, so that a program that knows of pastes does not run it line by line. In tmux, which takes everything at
   * once, an ok does not say that anything was read.
   */
  paste(text: string): Promise<WriteResult>;
  /** Gives its terminal another size, of which the program is told. @throws TroupeError `invalid-option` for a size that is none. */
  resize(size: TerminalSize): Promise<WriteResult>;
  /** Somebody can type to it: it has a terminal, or a pipe for its input. */
  readonly takesInput: boolean;
  /**
   * Looks now whether it waits for somebody to type; `null` where it does not, where nobody can type to it, and where nobody can know.
   * The view has what was seen last: it is looked at once it has been quiet for a moment, and then ever more seldom.
   */
  awaitedInput(): Promise<AwaitedInput | null>;
  /** All that is alive of its tree, the leader among them, as the operating system knows it; reads the process table. */
  members(): Promise<readonly TreeMember[]>;

  /** Ends the whole tree and proves it. */
  kill(options?: KillOptions): Promise<KillAnswer>;
  /** Nobody waits for it any more. `false` when it had ended or was stopping. */
  background(by?: Requester): boolean;
  /**
   * Ends it and starts it again under the same id. `false` when it had ended or was stopping.
   *
   * @throws TroupeError `not-found` for one that was taken over and whose environment is gone; it runs on.
   */
  restart(by?: Requester): boolean;
  /**
   * Ends it and keeps it `restarting` until `proceed`; one that is `restarting` by itself is kept so. `signal` is the first one, default
   * SIGTERM. `false` when it has ended or is stopping or coming up.
   */
  hold(order?: { readonly by?: Requester; readonly signal?: ProcessSignal }): boolean;
  /** Starts it again after `hold`: at once, or when the pause of its own restart is over. `false` when it is not `restarting`. */
  proceed(): boolean;
  /** Its end was told to that owner: it stands in the timeline, and in the record for whoever comes next. */
  acknowledge(owner: string): void;
  /** `false` when it had ended. */
  changeLimits(changes: LimitChanges): boolean;
}
