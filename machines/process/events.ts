import type {
  ExceededLimit,
  ExitStatus,
  HeldBy,
  LimitChange,
  ProcessEnd,
  ProcessSignal,
  Requester,
  SentSignal,
  SignalTarget,
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
      /** True if it is halted. Default `false`. */
      isPaused?: boolean;
    }
  | { type: 'process.spawnFailed'; cause: SpawnFailureCause; code: string | null; message: string }
  | {
      type: 'process.exited';
      exit: ExitStatus;
      /** Monotonic time of an exit that the backend did not observe, from the wall clock. Default `null`: the time of the event. */
      exitedAtMs?: number | null;
      /** Further facts of the end, as far as the backend knows them. */
      facts?: Partial<ProcessEnd>;
      /** Resource limit that ended the leader. Default `null`. */
      exceeded?: ExceededLimit | null;
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
  /** A signal was sent to members of the tree; `why` is that of the command. */
  | ({ type: 'process.signalled'; why: SignalReason } & SentSignal)
  /** Members of the tree that could be halted are halted. */
  | ({ type: 'tree.paused'; why: SignalReason } & HaltedTree)
  /** No member of the tree is halted. */
  | ({ type: 'tree.resumed'; why: SignalReason } & HaltedTree)
>;

/** Members of a tree that were halted or continued. */
export interface HaltedTree {
  /** `freezer`: by their cgroup; otherwise by SIGSTOP and SIGCONT. */
  readonly via: 'freezer' | 'signals';
  readonly pids: readonly number[];
}

/** Commands of a process actor to its backend, in the imperative. */
export type BackendCommand =
  /** Gives up a start that has not happened yet. A start that cannot be prevented is followed by `tree.end`. */
  | { type: 'start.cancel' }
  /** Signals the whole tree to end it, also a halted one, and watches it until `tree.gone`. */
  | { type: 'tree.end'; signal: ProcessSignal; why: SignalReason }
  /** Signals the members that live now, without expecting an end. */
  | { type: 'tree.signal'; signal: ProcessSignal; to: SignalTarget; why: SignalReason; reply: SignalReply }
  | { type: 'tree.pause'; why: SignalReason; reply: SignalReply }
  | { type: 'tree.resume'; why: SignalReason; reply: SignalReply }
  | { type: 'tree.survey' }
  | { type: 'output.settle'; quietMs: number }
  /** Writes bytes. With `waits`, the process may take any time to read them. */
  | { type: 'process.write'; data: Uint8Array; waits?: boolean; reply: (result: WriteResult) => void }
  | { type: 'process.endInput'; reply: (result: WriteResult) => void }
  | TerminalCommand<WriteResult>;

/** Outcome of a signal, a pause or a continuation. `error` is a sentence. */
export type SignalOutcome =
  | {
      readonly ok: true;
      /** Members that were reached. */
      readonly pids: readonly number[];
      /** Members that a pause has reached and that have not halted yet. */
      readonly running: readonly number[];
    }
  | { readonly ok: false; readonly error: string };

export type SignalReply = (outcome: SignalOutcome) => void;

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
  /** Sends a signal that does not stop the process. */
  | { type: 'process.signal'; by: Requester; signal: ProcessSignal; to: SignalTarget; reply: SignalReply }
  /** Halts all members of the tree, also those that were continued since an earlier pause. */
  | { type: 'process.pause'; by: Requester; reply: SignalReply }
  /** Continues all halted members of the tree. */
  | { type: 'process.resume'; by: Requester; reply: SignalReply }
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

/** Cause of a signal. */
export type SignalCause =
  | StopOrder['cause']
  /** The grace of an order to stop is over. */
  | { readonly type: 'grace' }
  /** `isKept`: they may stay, and a kill was ordered. */
  | { readonly type: 'leftovers'; readonly isKept: boolean }
  /** Ordered without an end. */
  | { readonly type: 'signal' }
  | { readonly type: 'pause' }
  | { readonly type: 'resume' }
  /** The terminal is gone. */
  | { readonly type: 'hangup' }
  /** The leader of a paused process has ended, so that the others continue. */
  | { readonly type: 'exit' }
  /** The backend has lost the process: what may be left of it is killed. */
  | { readonly type: 'lost' };

/** Requester and cause of a signal. */
export interface SignalReason {
  readonly by: Requester;
  readonly cause: SignalCause;
}

/** Announcements of a process actor, each made once. The facts themselves are in its context. */
export type ProcessAnnouncement =
  | { type: 'process.started' }
  | { type: 'process.adopted' }
  | { type: 'process.released' }
  | { type: 'process.backgrounded'; by: Requester }
  | { type: 'process.stopping' }
  /** A signal was sent to members of the tree. */
  | ({ type: 'process.signalled' } & SentSignal & SignalReason)
  | { type: 'process.paused'; by: Requester; tree: HaltedTree }
  | { type: 'process.resumed'; by: Requester; tree: HaltedTree }
  | { type: 'process.survived' }
  | { type: 'process.restarting' }
  | { type: 'process.silent' }
  | { type: 'process.elapsed' }
  | { type: 'process.ended' }
  /** The last leftover of an ended process is gone. */
  | { type: 'leftovers.ended' };

export type ProcessEvent = BackendFact | ProcessCommand | DeadlineEvent;
