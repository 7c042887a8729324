import type {
  ExitStatus,
  HeldBy,
  LimitChange,
  ProcessEnd,
  ProcessSignal,
  Requester,
  SpawnFailureCause,
  StopOrder,
  TreeMember,
} from './context.ts';
import type { TerminalCommand } from './terminal.ts';

/** Time of an event, `atMs`: the supervisor's monotonic time in milliseconds, because the chart never reads a clock. */
type At<E> = E & { readonly atMs: number };

/** Facts that a backend reports, in the past tense. */
export type BackendFact = At<
  | {
      type: 'process.spawned';
      /** `null` where the work has no operating-system process. */
      pid: number | null;
      pgid: number | null;
      /** Default `null`. */
      held?: HeldBy | null;
    }
  | {
      /** The process of an earlier supervisor was found; its exit may follow at once. */
      type: 'process.adopted';
      pid: number | null;
      pgid: number | null;
      /** Default `null`. */
      held?: HeldBy | null;
      /** Monotonic time of the start, as far as the wall clock tells it. */
      startedAtMs: number;
    }
  | { type: 'process.spawnFailed'; cause: SpawnFailureCause; code: string | null; message: string }
  | {
      type: 'process.exited';
      exit: ExitStatus;
      /** Further facts of the end, as far as the backend knows them. */
      facts?: Partial<ProcessEnd>;
    }
  | {
      /** The backend has lost the process and does not know its end. */
      type: 'process.lost';
      why: string;
    }
  | { type: 'output.ended' }
  | { type: 'output.quieted' }
  | {
      type: 'tree.surveyed';
      leftovers: readonly TreeMember[];
      /** Processes that may belong to the tree: started during its life, without a trace of their origin. Never signalled. */
      suspects?: readonly TreeMember[];
    }
  | {
      type: 'tree.gone';
      /** Members beside the leader that were signalled and are now dead. */
      ended: readonly TreeMember[];
      suspects?: readonly TreeMember[];
    }
  | { type: 'tree.seen'; alive: readonly TreeMember[] }
>;

/** Commands of a process actor to its backend, in the imperative. */
export type BackendCommand =
  | { type: 'process.signal'; signal: ProcessSignal }
  | { type: 'tree.survey' }
  | { type: 'output.settle'; quietMs: number }
  /** With `waits` there is no limit to the time that the process may take to read. */
  | { type: 'process.write'; data: Uint8Array; waits?: boolean; reply: (result: WriteResult) => void }
  | { type: 'process.endInput'; reply: (result: WriteResult) => void }
  | TerminalCommand<WriteResult>;

/** Number of bytes that were written, and the reason where some were not. */
export type WriteResult =
  | { readonly ok: true; readonly bytesWritten: number }
  | {
      readonly ok: false;
      readonly bytesWritten: number;
      readonly code: WriteFailure;
      readonly error: string;
    };

export type WriteFailure =
  /** The process was started without input, or cannot have one. */
  | 'noInput'
  /** The input was closed, or the process has ended meanwhile. */
  | 'closed'
  /** The process does not read its input. */
  | 'notReading'
  /** No process is running. */
  | 'notRunning'
  /** The process has no terminal. */
  | 'noTerminal'
  /** No such key, size or secret exists. */
  | 'invalid'
  /** The text is a secret and would show on the terminal or in a log that the process writes itself. */
  | 'exposed'
  /** The system refused for another reason. */
  | 'broken';

/** Commands to a process. */
export type ProcessCommand = At<
  | { type: 'process.admit' }
  /** Finds the process of an earlier supervisor instead of starting one. */
  | { type: 'process.adopt' }
  /** Detaches from a running process that is to outlive this supervisor. */
  | { type: 'process.release' }
  | { type: 'process.background'; by: Requester }
  | {
      type: 'process.stop';
      by: Requester;
      signal: ProcessSignal;
      /** Time from the signal to SIGKILL; defaults to the `killGraceMs` of the process. */
      graceMs?: number;
    }
  | { type: 'process.restart'; by: Requester }
  /** Ends the process, or lets its pause run out, and does not start it before `process.proceed`. */
  | { type: 'process.hold'; by: Requester; signal: ProcessSignal }
  /** Starts a held process, at once or when its pause is over. */
  | { type: 'process.proceed' }
  | { type: 'limits.change'; limits: LimitChange }
>;

/** Names of the deadlines that the chart arms. */
export type DeadlineName =
  /** The limit of a foreground caller's wait, over queueing, attempts and pauses. */
  | 'wait'
  /** The hard limit of a foreground call. */
  | 'execution'
  /** The hard limit of a background run. */
  | 'background'
  /** Time from the polite signal to SIGKILL. */
  | 'grace'
  /** Time from SIGKILL until the living are reported as survivors. */
  | 'proof'
  /** Time until the next look at leftovers. */
  | 'look'
  /** The longest wait for output after the leader's exit. */
  | 'drain'
  /** The pause before a restart. */
  | 'backoff'
  /** Uptime after which earlier restarts are forgotten. */
  | 'health'
  /** Time without output of a background process. */
  | 'silence'
  /** Running time of a background process. */
  | 'elapsed';

export type DeadlineEvent = { [Name in DeadlineName]: At<{ type: `deadline.${Name}` }> }[DeadlineName];

/** Reason for a signal: the order to stop, the end of its grace, or leftovers. `isKept`: they may stay, and a kill was ordered. */
export type SignalCause =
  | StopOrder['cause']
  | { readonly type: 'grace' }
  | { readonly type: 'leftovers'; readonly isKept: boolean };

/** Announcements of a process actor, each made once. The facts themselves are in its context. */
export type ProcessAnnouncement =
  | { type: 'process.started' }
  | { type: 'process.adopted' }
  | { type: 'process.released' }
  | { type: 'process.backgrounded'; by: Requester }
  | { type: 'process.stopping' }
  | {
      /** A signal was sent to the whole tree. */
      type: 'process.signalled';
      signal: ProcessSignal;
      by: Requester;
      cause: SignalCause;
    }
  | { type: 'process.survived' }
  | { type: 'process.restarting' }
  | { type: 'process.silent' }
  | { type: 'process.elapsed' }
  | { type: 'process.ended' }
  /** The last leftover of an ended process is gone. */
  | { type: 'leftovers.ended' };

export type ProcessEvent = BackendFact | ProcessCommand | DeadlineEvent;
