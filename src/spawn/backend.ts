import type { BackendCommand, BackendFact } from '../../machines/process/events.ts';
import type { ScreenCapture, TerminalSize } from '../../machines/process/terminal.ts';
import type { Cancel, Clock } from '../clock/clock.ts';
import type { OutputSink } from '../output/output-sink.ts';
import type { ProcessIdentity } from './tree/identity.ts';

/** How the process is attached: what a person would have to do to look at it from outside. */
export type ProcessMode = 'pipe' | 'file' | 'pty' | 'tmux' | 'remote' | 'in-process' | 'scripted';

/** One run of work, ready to start: policy, environment and working directory are decided. */
export interface SpawnRequest {
  /** Chosen by the supervisor; the same for every attempt. */
  readonly id: string;
  /** 1 for the first start, one more for each restart. */
  readonly attempt: number;
  readonly work: Work;
  readonly cwd: string;
  /** The whole environment, identity variables included; nothing is inherited beside it. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: 'end' | 'pipe';
  /**
   * For what writes by itself: where its output goes without our help, and where its end is written down. `null`: it is
   * poured into the sink. The files are of this process alone, all its attempts use the same.
   */
  readonly files: SpawnFiles | null;
  /** It is to go on when this program ends, and to be adopted by another; else nothing of it may stay. */
  readonly outlives: boolean;
  /** The size of its terminal; `null` where it is to have none. */
  readonly terminal: TerminalSize | null;
  /** Never to be shown: in command lines and error texts `redactText` takes their place. */
  readonly secrets: readonly string[];
}

/** Absolute paths of files of one process alone. */
export interface SpawnFiles {
  readonly log: string;
  readonly status: string;
  /** The last screen of its terminal; see `toScreenText`. */
  readonly screen: string;
}

/** What is to be run: a program with its arguments, text for a shell, or a function of this program. */
export type Work =
  | { readonly type: 'argv'; readonly file: string; readonly args: readonly string[] }
  | { readonly type: 'shell'; readonly shell: string; readonly script: string }
  | { readonly type: 'function'; readonly run: InProcessWork };

/** Work inside this program. It ends `completed` when the promise resolves and `failed` when it rejects. */
export type InProcessWork = (context: {
  /** Aborted when the process is to stop; a function that ignores it stays `stopping`. */
  readonly signal: AbortSignal;
  readonly stdout: (text: string | Uint8Array) => void;
  readonly stderr: (text: string | Uint8Array) => void;
}) => Promise<unknown>;

/** A fact as a backend tells it; when it became true is filled in on the way. */
export type ToldFact = BackendFact extends infer F ? (F extends unknown ? Omit<F, 'atMs'> : never) : never;

/** What one attempt gets to work with, and how it speaks with its process. */
export interface BackendPort {
  readonly request: SpawnRequest;
  readonly output: OutputSink;
  readonly clock: Clock;
  /** For `adopt`: `nowMs` at which the attempt was started, as far as its record says; may be negative. */
  readonly startedAtMs?: number;
  /** For `adopt`: who leads according to the record, perhaps of the attempt before. */
  readonly leader?: ProcessIdentity;
  tell(fact: ToldFact): void;
  /** How the screen looks at the end, for whoever asks later: before `output.ended`, and earlier where that may be far. The last one counts. */
  keepScreen(screen: ScreenCapture): void;
  /** To be called once, before `run` returns. */
  onCommand(listener: (command: BackendCommand) => void): void;
}

/**
 * A way to run work. `run` becomes the actor `body` of a process, once for each attempt, and
 *
 * - pours every byte into the sink, or has it written to `request.files.log`, in order of arrival;
 * - says `process.spawned` or `process.spawnFailed` once, and nothing before it;
 * - says `process.exited` once, when the leader has ended, and `output.ended` once, when no more bytes can come;
 * - on `process.signal` signals the whole tree and says `tree.gone` once nothing of it that can be signalled is
 *   alive, also when the signal comes after the exit; it goes on looking until then, and says `tree.seen` when what
 *   is alive has changed;
 * - on `tree.survey` answers `tree.surveyed` with what is alive of the tree beside the leader;
 * - on `output.settle` says `output.quieted` once no byte has come for that long;
 * - answers `process.write`, `process.endInput`, `process.resize` and `terminal.…` through the reply they carry, also with a refusal;
 * - never throws, and leaves processes alone when the returned `Cancel` is called: that ends timers and watches.
 *   Output of what is still alive is read on and does not keep the program alive.
 */
export interface Backend {
  readonly mode: ProcessMode;
  readonly capabilities: BackendCapabilities;
  run(port: BackendPort): Cancel;
  /**
   * Takes over the attempt `request.attempt`, which another program has started: only where `capabilities.durable`. Says
   * `process.adopted` once, and then goes on like `run`, also where the process has ended meanwhile: its exit follows at once. Where
   * nobody can know what became of it, it says `process.lost` instead, or after `process.adopted`.
   */
  adopt?(port: BackendPort): Cancel;
  /** Program and arguments with which a person looks at the terminal of that process without this program; `null` where nothing does. */
  attachCommand?(id: string): readonly string[] | null;
  /** Lets go of what it holds between runs; called once, at the end of the shutdown, which waits for it. Must not reject. */
  close?(): void | Promise<void>;
}

/** What a backend can do at all; a command beyond it is answered with a refusal in words. */
export interface BackendCapabilities {
  /** Takes `process.write` when the request asked for `stdin: 'pipe'`. */
  readonly input: boolean;
  /** Gives a terminal to what asked for one: takes `process.resize`, `process.write` and all of `terminal.…`. Output is `screen`. */
  readonly terminal: boolean;
  /** Runs operating-system processes, so that a tree, leftovers and survivors exist. */
  readonly osProcesses: boolean;
  /** Tells stdout and stderr apart; else all output is `stdout` or `screen`, in the order of arrival. */
  readonly separateStreams: boolean;
  /** What it runs can outlive this program, and be adopted. */
  readonly durable: boolean;
}
