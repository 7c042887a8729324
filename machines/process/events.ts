import type {
  ExitStatus,
  LimitChange,
  ProcessSignal,
  Requester,
  SpawnFailureCause,
  StopOrder,
  TreeMember,
} from './context.ts';
import type { TerminalCommand } from './terminal.ts';

/**
 * Every event carries `atMs`, the supervisor's monotonic time in milliseconds at which it was true: the chart never
 * reads a clock.
 */
type At<E> = E & { readonly atMs: number };

/** What a backend tells of the world. Facts, past tense. */
export type BackendFact = At<
  | {
      type: 'process.spawned';
      /** `null` where the work has no operating-system process. */
      pid: number | null;
      pgid: number | null;
    }
  | {
      /** What another supervisor had started was found again; its exit may follow at once. */
      type: 'process.adopted';
      pid: number | null;
      pgid: number | null;
      /** Monotonic, as far as the wall clock tells it: when it was started. */
      startedAtMs: number;
    }
  | { type: 'process.spawnFailed'; cause: SpawnFailureCause; code: string | null; message: string }
  | { type: 'process.exited'; exit: ExitStatus }
  | {
      /** The backend has lost sight of the process and cannot say what became of it. */
      type: 'process.lost';
      why: string;
    }
  | { type: 'output.ended' }
  | { type: 'output.quieted' }
  | {
      type: 'tree.surveyed';
      leftovers: readonly TreeMember[];
      /** Perhaps its own: they began in its life and show no trace of who started them. They are never signalled. */
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

/** What a process actor asks of its backend. Orders, imperative. */
export type BackendCommand =
  | { type: 'process.signal'; signal: ProcessSignal }
  | { type: 'tree.survey' }
  | { type: 'output.settle'; quietMs: number }
  | { type: 'process.write'; data: Uint8Array; reply: (result: WriteResult) => void }
  | { type: 'process.endInput'; reply: (result: WriteResult) => void }
  | TerminalCommand<WriteResult>;

/** How much of a write went in, and if not all of it, why. */
export type WriteResult =
  | { readonly ok: true; readonly bytesWritten: number }
  | {
      readonly ok: false;
      readonly bytesWritten: number;
      readonly code: WriteFailure;
      readonly error: string;
    };

export type WriteFailure =
  /** Its input was not asked for at its start, or it cannot have one. */
  | 'noInput'
  /** It closed its input or somebody did for it, or it has ended meanwhile. */
  | 'closed'
  /** It does not read what is there. */
  | 'notReading'
  /** There is no process that could be written to. */
  | 'notRunning'
  /** It has no terminal. */
  | 'noTerminal'
  /** There is no such key, no such size, or no secret of that name. */
  | 'invalid'
  /** It is a secret, and would be seen: by what the terminal shows, or in a log that the process writes by itself. */
  | 'exposed'
  /** The system refused, for a reason of its own. */
  | 'broken';

/** What somebody wants of a process. */
export type ProcessCommand = At<
  | { type: 'process.admit' }
  /** Another supervisor had started it and is gone: look for it instead of starting it. */
  | { type: 'process.adopt' }
  /** Let go of it while it runs: it is meant to outlive this supervisor. */
  | { type: 'process.release' }
  | { type: 'process.background'; by: Requester }
  | {
      type: 'process.stop';
      by: Requester;
      signal: ProcessSignal;
      /** Time from the signal to SIGKILL; the process's own `killGraceMs` where absent. */
      graceMs?: number;
    }
  | { type: 'process.restart'; by: Requester }
  /** End it, or let its pause go on, and do not start it before `process.proceed`. */
  | { type: 'process.hold'; by: Requester; signal: ProcessSignal }
  /** Start what is held: at once, or when its pause is over. */
  | { type: 'process.proceed' }
  | { type: 'limits.change'; limits: LimitChange }
>;

/** Times that the chart armed by name and that have come. */
export type DeadlineName =
  /** A foreground caller has waited long enough, for a place, its attempts and the pauses between them. */
  | 'wait'
  /** The hard limit of a foreground call. */
  | 'execution'
  /** The hard limit of a background run. */
  | 'background'
  /** From the polite signal to SIGKILL. */
  | 'grace'
  /** From SIGKILL to the admission that something survives. */
  | 'proof'
  /** The longest wait for output after the leader's exit. */
  | 'drain'
  /** The pause before a restart. */
  | 'backoff'
  /** Long enough alive to forget earlier restarts. */
  | 'health'
  /** A background process has said nothing for long. */
  | 'silence'
  /** A background process has run for long. */
  | 'elapsed';

export type DeadlineEvent = { [Name in DeadlineName]: At<{ type: `deadline.${Name}` }> }[DeadlineName];

/** Why a signal was sent: the order to stop, the end of its grace, or leftovers that may not stay. */
export type SignalCause = StopOrder['cause'] | { readonly type: 'grace' } | { readonly type: 'leftovers' };

/** What a process actor announces as it happens, once each time. The facts themselves stand in its context. */
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
  | { type: 'process.ended' };

export type ProcessEvent = BackendFact | ProcessCommand | DeadlineEvent;
