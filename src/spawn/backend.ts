import type { BackendCommand, BackendFact } from '../../machines/process/events.ts';
import type { ScreenCapture, TerminalSize } from '../../machines/process/terminal.ts';
import type { Cancel, Clock } from '../clock/clock.ts';
import type { FunctionSpec } from '../config/process-spec.ts';
import type { AppliedLimits } from '../config/resource-limits.ts';
import type { WorkerModule } from '../config/worker-module.ts';
import type { OutputSink } from '../output/output-sink.ts';
import type { Hints } from './environment.ts';
import type { ProcessIdentity } from './tree/identity.ts';

/** Kind of connection to a process, which decides how a person can look at it from outside. */
export type ProcessMode = 'pipe' | 'file' | 'pty' | 'tmux' | 'remote' | 'in_process' | 'worker' | 'scripted';

/** Attempt that is ready to start: policy, environment and working directory are decided. */
export interface SpawnRequest {
  /** Id chosen by the supervisor, the same for every attempt. */
  readonly id: string;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  readonly work: Work;
  readonly cwd: string;
  /** Complete environment with the identity variables; nothing else is inherited. Created when it is read, and not kept. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: 'end' | 'pipe';
  /**
   * Files for processes that write their output and exit themselves; `null` where output is piped into the sink. All attempts of
   * one process share them, and no other process.
   */
  readonly files: SpawnFiles | null;
  /** True if the process is to outlive this program and be adopted by another; otherwise nothing of it may stay. */
  readonly outlives: boolean;
  /** Size of the terminal; `null` for none. */
  readonly terminal: TerminalSize | null;
  /** Limits on what the attempt may use, to be applied before its command runs; `null` without any. */
  readonly limits: AppliedLimits | null;
  /** Values that are never shown: `redactText` replaces them in command lines and error texts. */
  readonly secrets: readonly string[];
  /** Parts of the request for another host, where `env` means nothing; absent for this one. */
  readonly portable?: PortableRequest;
}

/** Parts of a request from which another host makes its environment. */
export interface PortableRequest {
  readonly pool: string;
  /** Equal for requests of one process, and for those that another program may make for the same one: only these share an id. */
  readonly identity: string;
  readonly owner: string;
  readonly depth: number;
  /** Additions to the environment there; `null` removes a variable. */
  readonly overrides: Readonly<Record<string, string | null>>;
  readonly hints: Hints;
  /** Time of the process's creation, in milliseconds since the epoch. */
  readonly orderedAt: number;
}

/** Absolute paths of the files of one process. */
export interface SpawnFiles {
  readonly log: string;
  readonly status: string;
  /** Last screen of the terminal; see `toScreenText`. */
  readonly screen: string;
}

/** Work to run: a program with its arguments, a script for a shell, or a function of this program. */
export type Work =
  | { readonly type: 'argv'; readonly file: string; readonly args: readonly string[] }
  | { readonly type: 'shell'; readonly shell: string; readonly script: string }
  | { readonly type: 'function'; readonly run: InProcessWork }
  /** A module for a worker thread, by its URL. */
  | ({ readonly type: 'worker'; readonly module: string } & Pick<
      WorkerModule,
      'workerData' | 'resourceLimits'
    >);

/** Work inside this program. Ends `completed` when the promise resolves and `failed` when it rejects. */
export type InProcessWork = Exclude<FunctionSpec['run'], WorkerModule>;

/** Fact as a backend reports it; the process adds the time. */
export type ToldFact = BackendFact extends infer F ? (F extends unknown ? Omit<F, 'atMs'> : never) : never;

/** Inputs of one attempt, and its connection to the process. */
export interface BackendPort {
  readonly request: SpawnRequest;
  readonly output: OutputSink;
  readonly clock: Clock;
  /** Monotonic time of the attempt's start as far as its record says, for `adopt`; may be negative. */
  readonly startedAtMs?: number;
  /** Leader named by the record, for `adopt`; perhaps of the attempt before. */
  readonly leader?: ProcessIdentity;
  /** Offset in the output at which that of the attempt begins, for `adopt`. */
  readonly attemptOffset?: number;
  tell(fact: ToldFact): void;
  /**
   * Keeps the last screen for later readers. To be called before `output.ended`, and earlier where that may take long; the last
   * call counts.
   */
  keepScreen(screen: ScreenCapture): void;
  /** Sets the listener for commands. Must be called once, before `run` returns. */
  onCommand(listener: (command: BackendCommand) => void): void;
}

/**
 * A way to run work. `run` becomes the chart's actor `runner`, once for each attempt, and
 *
 * - pipes every byte into the sink, or has it written to `request.files.log`, in order of arrival;
 * - reports `process.spawned` or `process.spawnFailed` once, and nothing before it;
 * - reports `process.exited` once, when the leader has ended, and `output.ended` once, when no more bytes can come;
 * - on `tree.end` signals the whole tree, also after the exit and also a paused one, and watches it until it reports `tree.gone` once, when no
 * member that can be signalled is alive; meanwhile it reports `tree.seen` whenever the living members have changed;
 * - on `tree.signal` signals the members that live now; on `tree.pause` and `tree.resume` halts and continues all, reports `tree.paused` and
 * `tree.resumed`, and answers through the reply, also with a refusal;
 * - reports `process.signalled` for each signal that has reached a process, with the reason in its command; a repetition for the same
 * processes is not reported;
 * - on `tree.survey` reports `tree.surveyed` with the living members beside the leader. Members that outlive the leader do not keep the program running;
 * - on `start.cancel` reports `process.spawnFailed` if it has started nothing and can still prevent that; a start that takes milliseconds
 * ignores it;
 * - on `output.settle` reports `output.quieted` once no byte has come for that long;
 * - answers `process.write`, `process.endInput`, `process.resize` and `terminal.…` through the reply they carry, also with a
 * refusal;
 * - never throws, and leaves processes alone when the returned `Cancel` is called: that ends timers and watches. Output of living
 * processes is still read and does not keep the program alive.
 */
export interface Backend {
  readonly mode: ProcessMode;
  readonly capabilities: BackendCapabilities;
  run(port: BackendPort): Cancel;
  /**
   * Adopts the attempt `request.attempt`, which another program has started; only where `capabilities.durable`. Reports
   * `process.adopted` once and then continues like `run`, even if the process has ended meanwhile: its exit follows at once.
   * Reports `process.lost` instead, or after `process.adopted`, where the end is unknown.
   */
  adopt?(port: BackendPort): Cancel;
  /** Returns program and arguments with which a person attaches to the terminal without this program; `null` where none does. */
  attachCommand?(id: string): readonly string[] | null;
  /** Closes what the backend holds between runs. Called once, at the end of the shutdown, which waits for it. Must not reject. */
  close?(): void | Promise<void>;
}

/** Abilities of a backend; a command beyond them is answered with a refusal. */
export interface BackendCapabilities {
  /** Takes `process.write` when the request asked for `stdin: 'pipe'`. */
  readonly input: boolean;
  /**
   * Gives a terminal to requests that asked for one: takes `process.resize`, `process.write` and all of `terminal.…`. Output is
   * `screen`.
   */
  readonly terminal: boolean;
  /** Runs operating-system processes, so that a tree, leftovers and survivors exist. */
  readonly osProcesses: boolean;
  /** Separates stdout and stderr; otherwise all output is `stdout` or `screen`, in order of arrival. */
  readonly separateStreams: boolean;
  /** Runs processes that can outlive this program and be adopted. */
  readonly durable: boolean;
  /** Applies `request.limits`. Default `false`: a start with limits is refused. */
  readonly limits?: boolean;
}
