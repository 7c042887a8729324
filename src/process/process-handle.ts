import type { Observable } from 'rxjs';
import type {
  KillReceipt,
  ProcessSignal,
  Requester,
  SignalTarget,
  TreeMember,
} from '../../machines/process/context.ts';
import type { WriteResult } from '../../machines/process/events.ts';
import type { CaptureAnswer, TerminalSize } from '../../machines/process/terminal.ts';
import type { ProcessStatus } from '../../machines/process/view.ts';
import type { AbortOptions } from '../config/abort-signal.ts';
import type { Duration } from '../config/duration.ts';
import type { EndingSignal } from '../config/signal-name.ts';
import type { CaptureOptions, KeyOrder } from '../config/terminal-options.ts';
import type { WaitOptions } from '../config/wait-options.ts';
import type { IterationOptions } from '../output/follow-log.ts';
import type { OutputLine } from '../output/lines.ts';
import type { OutputChunk, OutputGap, OutputPiece } from '../output/output-chunk.ts';
import type { OutputTimes } from '../output/output-times.ts';
import type { OutputRead, ReadOptions } from '../output/read-output.ts';
import type { OutputReader } from '../output/reader.ts';
import type { SecretOptions } from '../secrets/write-secret.ts';
import type { ProcessUsage } from '../spawn/tree/tree-usage.ts';
import type { StartedResult } from './process-result.ts';
import type { AwaitedInput, FinalView, ProcessView, ReadyView } from './process-view.ts';
import type { TimelineEntry } from './timeline.ts';
import type { Waited } from './waited.ts';

/** Options of a kill. */
export interface KillOptions {
  /** The first signal; SIGKILL follows at the end of the grace. Default `SIGTERM`. */
  readonly signal?: EndingSignal | undefined;
  /** Time from the first signal to SIGKILL. Default: the process's `killGrace`. */
  readonly grace?: Duration | undefined;
  /** The requester, recorded with the end. Default `user`. */
  readonly by?: Requester | undefined;
}

/**
 * Answer to an order to kill, given once the tree is proven gone or once something is known to have survived. `message` says it in words.
 * Orders given at the same time share one receipt.
 */
export type KillAnswer =
  | { readonly type: 'killed' | 'alreadyStopping'; readonly receipt: KillReceipt; readonly message: string }
  /** `receipt.survivors` are alive although SIGKILL was sent. The message says why, as far as it is known. */
  | { readonly type: 'survived'; readonly receipt: KillReceipt; readonly message: string }
  /** The process was waiting for a slot or for a restart. */
  | { readonly type: 'cancelled'; readonly message: string }
  /** The process had ended; only its leftovers were killed. */
  | { readonly type: 'leftoversEnded'; readonly receipt: KillReceipt; readonly message: string }
  | { readonly type: 'notRunning'; readonly message: string }
  | { readonly type: 'notFound'; readonly nearest: readonly string[]; readonly message: string };

/** Options of `ProcessHandle.signal`. */
export interface SignalOptions {
  /** Any signal but SIGKILL, by its name: `SIGHUP`, `SIGUSR1`, `SIGRTMIN+1`. */
  readonly signal: ProcessSignal;
  /**
   * Receivers: all members of the tree, or the leader alone, as suits a server that passes a reload on to its workers by itself. SIGSTOP and
   * SIGCONT always concern the tree. Default `tree`.
   */
  readonly to?: SignalTarget | undefined;
  /** The requester, recorded in the timeline. Default `user`. */
  readonly by?: Requester | undefined;
}

/** Answer to a signal, a pause or a continuation, given once it is done. `message` says it in words. */
export type SignalAnswer =
  /** `pids`: the processes that were reached; empty if no process was halted that could be continued. */
  | { readonly ok: true; readonly pids: readonly number[]; readonly message: string }
  | { readonly ok: false; readonly code: SignalRefusal; readonly message: string };

export type SignalRefusal =
  /** The process has ended, perhaps with leftovers. */
  | 'ended'
  /** The process waits for a slot, its start or its restart. */
  | 'notStarted'
  /** The process is being stopped, or its leader has just exited. */
  | 'stopping'
  /** The supervisor has shut down and left the process running. */
  | 'detached'
  /** The work has no operating-system process, or none that the signal could reach. */
  | 'notReached';

/** Limits that may change while a process runs; those that are omitted stay. 0: none. */
export interface LimitChanges {
  /** Time that its caller waits in the foreground, from the call on. */
  readonly timeout?: Duration | undefined;
  /** Hard limit in the foreground, from the call on. */
  readonly maxExecutionTime?: Duration | undefined;
  /** Hard limit of the whole run in the background. */
  readonly maxBackgroundTime?: Duration | undefined;
}

/** Options of `ProcessHandle.output`. */
export interface OutputIterationOptions extends IterationOptions {
  /** Loses nothing: a process that is faster than the caller waits. Default `false`. */
  readonly lossless?: boolean | undefined;
}

/**
 * Handle of one supervised process. It stays valid after the end, for as long as it is referenced; late callers receive the current state,
 * the output and the end.
 */
export interface ProcessHandle {
  readonly id: string;
  readonly status: ProcessStatus;
  /** Returns the process as it is now. */
  view(): ProcessView;
  /** Returns what happened to the process, oldest first. */
  timeline(): readonly TimelineEntry[];

  /** Resolves once, at the end, with everything the process printed already in the log. Never rejects. */
  readonly ended: Promise<FinalView>;
  /**
   * Resolves when the process is ready, or with the reason why it never will be; at once where no readiness was declared. A wait that was
   * aborted by `signal` resolves with the readiness at that moment, `waiting`.
   */
  ready(options?: AbortOptions): Promise<ReadyView>;
  /** Resolves when no caller waits any more: at the end of the process, or when it goes to the background. */
  result(): Promise<StartedResult>;

  /** Emits the current status and each later one; completes at the end. */
  readonly status$: Observable<ProcessStatus>;
  /**
   * Emits the view now, after each change of status or readiness, and at most four times a second while output arrives; completes at the end.
   */
  readonly view$: Observable<ProcessView>;
  /** Emits the kept output, then new output as it arrives; completes at the end. */
  readonly output$: Observable<OutputPiece>;
  /** Emits the output by line, each line once it is complete. */
  readonly lines$: Observable<OutputLine | OutputGap>;
  /**
   * Iterates over the output without loss: each byte once, in order. From the call on nothing is dropped that the caller has not taken. Behind a
   * slow caller memory stays bounded: the log file is read on, and without one, or at its cap, the process waits until the caller has caught
   * up. An iteration that is left without `return` keeps the process waiting; `break`, an error in `for await`, and `signal` end it. A process
   * that is being stopped or has exited waits for nobody: its last output, up to 4 MiB, is kept beside all limits.
   *
   * A process that writes its log file itself never waits; its file may exceed `maxLogBytes` instead.
   *
   * @throws TroupeError `output-lost`, as a rejection, for output that is gone already, or that a log file has lost.
   *
   * @example
   * for await (const { bytes } of handle.output({ lossless: true, stream: 'stdout' })) await upload(bytes);
   */
  output(options: IterationOptions & { readonly lossless: true }): AsyncGenerator<OutputChunk, void>;
  /**
   * Iterates over the output as fast as the caller takes it, and never makes the process wait. Memory does not grow behind a slow caller:
   * output dropped meanwhile is read from the log file, and gaps stand for what the file does not have either. Begins at the offset `from`
   * (default 0) and ends with the process, or when `signal` is aborted.
   */
  output(options?: OutputIterationOptions): AsyncGenerator<OutputPiece, void>;
  /** Iterates over the output by line, each line once it is complete, without loss; see `output`. Lines longer than 64 Ki characters come in pieces. */
  lines(options?: IterationOptions): AsyncGenerator<OutputLine, void>;
  /** Creates a stream of the bytes of the output, without loss; see `output`. Cancelling it lets the process continue. */
  toWeb(options?: IterationOptions): ReadableStream<Uint8Array<ArrayBuffer>>;

  /** Reads the kept output; see `ReadOptions`. The requester `by` is recorded in the timeline. */
  read(options?: ReadOptions, by?: Requester): OutputRead;
  /** Returns when the output arrived, by the offsets of `read`, as far as the index of the log reaches. */
  times(): OutputTimes;
  /** Returns the reader of that name, which has a cursor of its own. The same name gives the same reader. */
  reader(name: string): OutputReader;

  /**
   * Writes to stdin, which must have been requested with `stdin: 'pipe'`. Waits at most 10 s until the process reads; in tmux, which accepts
   * everything at once, `ok` does not mean that anything was read.
   */
  write(data: string | Uint8Array): Promise<WriteResult>;
  writeLine(line: string): Promise<WriteResult>;
  /**
   * The stream that writes text and bytes to stdin as fast as the process reads: a write waits without a limit, or in a terminal until the
   * program has read nothing for 10 s; `close` ends stdin, and `abort` ends it without waiting. It fails with `input-refused` when the process has ended, closes its stdin or takes no input.
   * The same stream is returned until it was closed or has failed; one restart later the next stream works.
   */
  readonly stdin: WritableStream<string | Uint8Array>;
  /** Ends stdin: the process reads end-of-file. */
  endInput(): Promise<WriteResult>;

  /**
   * Writes a secret of the supervisor's option `secrets`: typed in the terminal, else written to stdin. The value is first hidden in everything that
   * is shown and kept of this process. A process that writes its own log file receives it only while its terminal hides what is typed, and
   * any part of the secret that the process prints appears in that file. An unknown or unavailable secret is an answer, which never contains the value.
   */
  writeSecret(name: string, options?: SecretOptions): Promise<WriteResult>;

  /** Returns the screen of the terminal; after the end, the last one. Without a terminal the answer says so. */
  capture(options?: CaptureOptions): Promise<CaptureAnswer>;
  /** Types in the terminal: the text verbatim, then the keys, then Enter. An unknown key is an answer. */
  sendKeys(order: KeyOrder): Promise<WriteResult>;
  /**
   * Types a text in one piece, so that a program with support for pastes does not run it line by line. In tmux, which accepts everything at
   * once, `ok` does not mean that anything was read.
   */
  paste(text: string): Promise<WriteResult>;
  /** Resizes the terminal and notifies the program. @throws TroupeError `invalid-option` for an invalid size. */
  resize(size: TerminalSize): Promise<WriteResult>;
  /** True if the process has a terminal or an open stdin pipe. */
  readonly takesInput: boolean;
  /**
   * Looks now whether the process waits for input; `null` where it does not, where it takes none, and where that cannot be known. The view
   * has the last result: the process is examined once it has been quiet for a moment, and then less and less often.
   */
  awaitedInput(): Promise<AwaitedInput | null>;
  /** Returns the live members of the process tree, the leader included; reads the process table of the system. */
  members(): Promise<readonly TreeMember[]>;

  /**
   * Waits for conditions of the process: its end, a line, a port, a file, quiet, input. Returns at once if a condition
   * already holds or the process has ended. The outcome is a value; a failing process causes no rejection.
   *
   * @throws TroupeError `invalid-option`, as a rejection.
   *
   * @example
   * const waited = await server.waitFor({ port: 3000, text: 'EADDRINUSE', timeout: '30s' });
   * if (waited.end.type !== 'met') console.error(waited.end, waited.missing);
   */
  waitFor(options?: WaitOptions): Promise<Waited>;

  /**
   * Ends the whole tree, also a paused one, and proves that it is gone. A name alone, such as `'SIGINT'`, is the first signal: one that ends a
   * program.
   */
  kill(order?: KillOptions | EndingSignal): Promise<KillAnswer>;
  /**
   * Sends a signal that does not stop the process: nothing follows it. A process that ends of it has ended by itself, and its restart policy
   * applies. SIGSTOP is `pause`, SIGCONT is `resume`; a paused process receives others when it continues. Work inside this program receives none.
   *
   * @throws TroupeError `invalid-option`, as a rejection, for SIGKILL and for a name that this system does not have.
   *
   * @example
   * await nginx.signal({ signal: 'SIGHUP', to: 'leader' });
   */
  signal(order: SignalOptions | ProcessSignal): Promise<SignalAnswer>;
  /**
   * Halts the whole tree: by the freezer of its cgroup, or by SIGSTOP until no member is found running. Its time limits continue, and its silence is not reported. A
   * paused process stays paused when its supervisor ends, if it is persistent. `kill` and limits end it all the same.
   */
  pause(by?: Requester): Promise<SignalAnswer>;
  /** Continues all members that are halted, whatever has halted them. */
  resume(by?: Requester): Promise<SignalAnswer>;
  /**
   * Measures what the process and everything it started use now. Resolves to `null` once it has ended, for work without an operating-system
   * process, and where it cannot be measured. Linux only. The final figures are in the view.
   *
   * @example
   * const usage = await server.usage();
   * console.log(usage?.memoryBytes, usage?.ports);
   */
  usage(): Promise<ProcessUsage | null>;
  /** Moves the process to the background: no caller waits any more. Returns `false` when it had ended or was stopping. */
  background(by?: Requester): boolean;
  /**
   * Ends the process and starts it again under the same id. Returns `false` when it had ended or was stopping.
   *
   * @throws TroupeError `not-found` for an adopted process whose environment is gone; it continues to run.
   */
  restart(by?: Requester): boolean;
  /**
   * Ends the process and keeps it `restarting` until `proceed`, also where it was `restarting` already. `signal` is the first signal, default
   * SIGTERM. Returns `false` when it has ended, or is stopping or starting.
   */
  hold(order?: { readonly by?: Requester; readonly signal?: EndingSignal }): boolean;
  /** Starts the process again after `hold`: at once, or when the pause of its own restart is over. Returns `false` when it is not `restarting`. */
  proceed(): boolean;
  /** Records in the timeline that the end was delivered to that owner, so that the next supervisor does not deliver it again. */
  acknowledge(owner: string): void;
  /** Changes the limits. Returns `false` when the process had ended or was stopping. */
  changeLimits(changes: LimitChanges): boolean;
}
