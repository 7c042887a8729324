import type {
  EndReason,
  ExitStatus,
  FinalStatus,
  KillReceipt,
  TreeMember,
} from '../../machines/process/context.ts';
import type { ProgressView } from '../output/progress.ts';
import type { ProcessMode } from '../spawn/backend.ts';
import type { Command } from './command.ts';

export type { ProgressView };

export type ProcessKind = 'tool' | 'agent' | 'service';

/**
 * Lifetime of a process. `session`: it ends with its owner. `parent`: the owner above inherits it. `persistent`: it outlives its owner and its
 * supervisor, and the next supervisor of the state directory adopts it.
 */
export type ProcessLifetime = 'session' | 'parent' | 'persistent';

/** Figures of the output of a process. */
export interface OutputView {
  readonly bytes: number;
  /**
   * Number of complete lines; `null` while not all are counted. In a log that the process writes itself a few MiB are counted with each view,
   * and lines lost before are never counted.
   */
  readonly lines: number | null;
  /** Bytes no longer in memory; the log file may have them. In a log that the process writes itself: bytes no longer in the log. */
  readonly droppedBytes: number;
  /** Milliseconds since the epoch; `null` before the first byte. */
  readonly lastOutputAt: number | null;
  /** Path; `null` where no log file is kept. */
  readonly logFile: string | null;
  /** Says what no longer works; `null` while all is well. */
  readonly degraded: string | null;
}

/** Readiness of a process. `undeclared` where no readiness was configured. */
export type ReadyView =
  | { readonly state: 'undeclared' }
  | { readonly state: 'waiting' }
  | { readonly state: 'ready'; readonly afterMs: number }
  | { readonly state: 'failed'; readonly why: string };

/** Outcome of a request for a terminal. */
export type TerminalView =
  | {
      readonly type: 'terminal';
      readonly columns: number;
      readonly rows: number;
      /** Program and arguments that attach a person to it; `null` where it cannot be reached from outside. */
      readonly attach: readonly string[] | null;
      /** Sentence that says why it is of this kind. */
      readonly because: string;
    }
  /** No terminal was available: the process runs on pipes. */
  | { readonly type: 'none'; readonly because: string };

/** Input that a process waits for. */
export interface AwaitedInput {
  /** `line`: until Enter. `secret`: a line, and what is typed does not show. `key`: each key counts. */
  readonly kind: 'line' | 'secret' | 'key';
  /** `known`: by the state of the system. `hint`: by what the process printed last. */
  readonly certainty: 'known' | 'hint';
  /** The unfinished line that the process printed last; `null` where there is none. */
  readonly prompt: string | null;
  /** Time at which it was noticed, in milliseconds since the epoch. */
  readonly since: number;
}

interface Facts {
  readonly id: string;
  readonly kind: ProcessKind;
  readonly command: Command;
  /** The command as a line for a POSIX shell, without secrets. */
  readonly commandLine: string;
  readonly cwd: string;
  readonly label: string | null;
  readonly owner: string;
  readonly lifetime: ProcessLifetime;
  readonly tool: string | null;
  /** Id of the tool call that started it; `null` where none did. */
  readonly callId: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly mode: ProcessMode;
  /** Reason why the process runs in the foreground or in the background. */
  readonly executionMode: string;
  /** 1 for the first start. */
  readonly attempt: number;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly output: OutputView;
  /** `null` where no terminal was requested. */
  readonly terminal: TerminalView | null;
  /** Progress that the process reports; `null` where it reports none, and after its end. */
  readonly progress: ProgressView | null;
  /** True if the process has a terminal or an open stdin pipe. */
  readonly takesInput: boolean;
  /** `null` where it waits for no input, or where that cannot be known. */
  readonly awaitsInput: AwaitedInput | null;
}

interface Started {
  /** `null` for work that has no operating-system process. */
  readonly pid: number | null;
  readonly pgid: number | null;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly runtimeMs: number;
  /** Time at which a limit ends the process, in milliseconds since the epoch; `null` where none will. Changed limits move it. */
  readonly endsAt: number | null;
  readonly restarts: number;
  readonly ready: ReadyView;
}

/** State of a process at one moment, as plain data that can be serialized. */
export type ProcessView = Facts &
  (
    | { readonly status: 'pending'; readonly queued: boolean }
    | ({ readonly status: 'running' } & Started)
    | ({ readonly status: 'backgrounded'; readonly backgroundedAt: number } & Started)
    | ({
        readonly status: 'stopping';
        readonly survivors: readonly TreeMember[];
        /** A clause for each survivor of SIGKILL that says why it is alive; `null` while there are none. */
        readonly because: string | null;
      } & Started)
    | {
        readonly status: 'restarting';
        readonly restarts: number;
        readonly nextStartAt: number;
        readonly reason: EndReason;
      }
    | FinalFacts
  );

export interface FinalFacts {
  readonly status: FinalStatus;
  readonly pid: number | null;
  /** `null` when the process never started. */
  readonly startedAt: number | null;
  readonly backgroundedAt: number | null;
  readonly endedAt: number;
  /** Time from the start to the end; 0 when the process never started. */
  readonly runtimeMs: number;
  readonly restarts: number;
  /** Exit as the operating system reported it, whatever the reason; `null` when the process never started or its exit was not observed. */
  readonly exit: ExitStatus | null;
  readonly reason: EndReason;
  /** Members alive after the leader's natural end; still owned, and ended by a kill of this id. */
  readonly leftovers: readonly TreeMember[];
  /**
   * Live processes that may belong to it: started in its lifetime, without a parent and without a trace of their origin, such as a program that
   * turned itself into a daemon and overwrote its environment. They are never signalled, since they may be foreign. Linux only.
   */
  readonly suspects: readonly TreeMember[];
  readonly receipt: KillReceipt | null;
}

/** A process that has ended. */
export type FinalView = Facts & FinalFacts;

/** Returns whether the process, a leftover of it or a suspect is alive. */
export function hasLiveMembers(view: ProcessView): boolean {
  return !('endedAt' in view) || view.leftovers.length > 0 || view.suspects.length > 0;
}
