import { supervisorNeeded } from '../not-provided.ts';

/** Name of a POSIX signal with its `SIG`, as `kill -l` lists it, also of a real-time one, such as `SIGRTMIN+1`. */
export type ProcessSignal = NodeJS.Signals | `SIGRT${string}`;

/** Origin of a command: the model, a person, troupe itself, or the conversation that owns the process. */
export type Requester = 'agent' | 'user' | 'supervisor' | 'owner';

/** Receivers of a signal that does not stop a process: all members of its tree, or its leader alone. */
export type SignalTarget = 'tree' | 'leader';

/**
 * Way of a signal. `cgroup`: to all processes of a cgroup at once; `group`: to a process group; `process`: to one process after another;
 * `function`: a function inside this program heard of it by its abort signal; `thread`: a worker thread was terminated.
 */
export type SignalWay = 'cgroup' | 'group' | 'process' | 'function' | 'thread';

/** Signal that was really sent. */
export interface SentSignal {
  readonly signal: ProcessSignal;
  readonly via: SignalWay;
  /** Processes that it reached; empty for work without an operating-system process. */
  readonly pids: readonly number[];
}

/** Exit of the leader as the operating system reported it. `code` is `null` after a signal, never 0. */
export interface ExitStatus {
  readonly code: number | null;
  readonly signal: ProcessSignal | null;
}

/** Operating-system process of a tree. */
export interface TreeMember {
  readonly pid: number;
  readonly pgid: number;
  /** Start time in the unit of the process table; identifies one process for ever together with the pid. */
  readonly startedAt: string;
  readonly command: string;
}

/** Step of a start that the operating system refused. */
export type SpawnFailureCause =
  | 'missing-program'
  | 'missing-cwd'
  | 'no-permission'
  | 'arguments-too-long'
  | 'too-many-files'
  | 'out-of-processes'
  | 'other';

/** Limit that stopped a process. */
export type LimitName = 'timeout' | 'maxExecutionTime' | 'maxBackgroundTime';

/** Reason for which a run ended, exactly one per run; `exit` keeps what the operating system reported. */
export type EndReason =
  | { readonly type: 'exited'; readonly code: number }
  /** `by`: the requester of a signal that was sent to the process without an order to stop it. */
  | { readonly type: 'signalled'; readonly signal: ProcessSignal; readonly by: Requester | 'outside' }
  | { readonly type: 'timed_out'; readonly limit: LimitName; readonly afterMs: number }
  | {
      readonly type: 'killed';
      readonly by: Requester;
      readonly signal: ProcessSignal;
      readonly escalated: boolean;
    }
  | {
      readonly type: 'spawnFailed';
      readonly cause: SpawnFailureCause;
      readonly code: string | null;
      readonly message: string;
    }
  | { readonly type: 'cancelled'; readonly by: Requester }
  | ExceededLimit
  | { readonly type: 'lost'; readonly why: string };

/** Reason of an end by a resource limit: the kernel ended the process when it exceeded `limitBytes`. */
export type ExceededLimit =
  | { readonly type: 'outOfMemory'; readonly limitBytes: number; readonly signal: ProcessSignal }
  | { readonly type: 'fileTooLarge'; readonly limitBytes: number; readonly signal: ProcessSignal };

/** Proof of a kill. */
export interface KillReceipt {
  /** First signal that was sent. */
  readonly signalled: ProcessSignal;
  /** True if SIGKILL had to follow. */
  readonly escalated: boolean;
  /** Members still alive. Empty unless the kernel cannot end one. */
  readonly survivors: readonly TreeMember[];
  /** Members beside the leader that ended with it. */
  readonly leftoversEnded: readonly TreeMember[];
  /** Time from the signal to the proof. */
  readonly durationMs: number;
}

/** Time limits in milliseconds; 0 means none in the first three. */
export interface Limits {
  readonly timeoutMs: number;
  readonly maxExecutionMs: number;
  readonly maxBackgroundMs: number;
  readonly killGraceMs: number;
  readonly drainQuietMs: number;
  readonly drainMaxMs: number;
  readonly notifyAfterSilenceMs: number;
  readonly notifyAfterMs: number;
}

/** Limits that may change while the process runs. */
export type LimitChange = Partial<Pick<Limits, 'timeoutMs' | 'maxExecutionMs' | 'maxBackgroundMs'>>;

/** Reaction when a foreground caller has waited for `timeoutMs`. */
export type OnTimeout = 'background' | 'kill' | 'wait';

/** Restart policies of OTP: never, after an abnormal end, always. */
export type RestartPolicy = 'temporary' | 'transient' | 'permanent';

export interface RestartSettings {
  readonly policy: RestartPolicy;
  /** Maximum restarts within `withinMs`; one more ends the process for good. */
  readonly maxRestarts: number;
  readonly withinMs: number;
  readonly minBackoffMs: number;
  readonly maxBackoffMs: number;
  /** Uptime after which earlier restarts are forgotten. */
  readonly healthyAfterMs: number;
}

/** The five ways to end. */
export type FinalStatus = 'completed' | 'failed' | 'killed' | 'timed_out' | 'lost';

/** Settings of a process that its chart evaluates. Plain JSON. */
export interface RunSettings {
  readonly background: boolean;
  readonly onTimeout: OnTimeout;
  readonly limits: Limits;
  readonly leftoverPolicy: 'keep' | 'kill';
  readonly restart: RestartSettings;
}

/** Description of a process from which the chart is created. Plain JSON. */
export interface ProcessInput extends RunSettings {
  readonly id: string;
  /** Seed of the jitter of restarts: the chart itself makes no random numbers. */
  readonly seed: number;
  /** Progress under an earlier supervisor; `null` for a new process. */
  readonly past: ProcessPast | null;
}

/** Progress of an adopted process under its earlier supervisor. Monotonic times belong to this program's clock. */
export interface ProcessPast {
  readonly attempt: number;
  readonly restartTimesMs: readonly number[];
  /** Set while the process waits for its next attempt. */
  readonly nextStartAtMs: number | null;
  /** Set while the process is being stopped. */
  readonly stop: StopOrder | null;
  /** Set for a process that has ended and left something behind. */
  readonly end: PastEnd | null;
}

/** End of a process: its exit, its reason and the processes that it left. */
export interface ProcessEnd {
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
  /** Proof of the last kill, of the process or of its leftovers; `null` where none was ordered. */
  readonly receipt: KillReceipt | null;
  /**
   * CPU time in user and kernel mode, in milliseconds; `null` where it is unknown. Held by a cgroup: of all its processes until the end of the
   * leader. By the lineage: of the process and of the children that it has waited for, known for commands on pipes on Linux, unless a child
   * holds their output or they closed it before their exit.
   */
  readonly cpuMs: number | null;
  /** Largest memory of all its processes together, in bytes; `null` without the cgroup controller `memory`, which a limit of the memory uses. */
  readonly peakMemoryBytes: number | null;
  /** Bytes that were read from disks, counted like `cpuMs`; with a cgroup only where it has the controller `io`. `null` where they are unknown. */
  readonly readBytes: number | null;
  /** Bytes that were written to disks, counted like `readBytes`. */
  readonly writtenBytes: number | null;
  /** Mechanism that holds its processes together; `null` for work without an operating-system process, and where it is unknown. */
  readonly held: HeldBy | null;
}

/** Mechanism that holds a process tree together: a cgroup, or the lineage in the environment with parents, groups and sessions. */
export type HeldBy = 'cgroup' | 'lineage';

/** End without any known fact. Its keys list all facts. */
export const unknownEnd: ProcessEnd = {
  exit: null,
  reason: { type: 'lost', why: 'its end was not reported' },
  leftovers: [],
  suspects: [],
  receipt: null,
  cpuMs: null,
  peakMemoryBytes: null,
  readBytes: null,
  writtenBytes: null,
  held: null,
};

const names = Object.keys(unknownEnd) as (keyof ProcessEnd)[];

/** Picks the facts of an end from a larger object. Facts that an older version did not write are unknown. */
export function toProcessEnd(
  from: { readonly [Fact in keyof ProcessEnd]?: ProcessEnd[Fact] | null },
): ProcessEnd {
  const facts: Partial<Record<keyof ProcessEnd, unknown>> = {};
  for (const name of names) facts[name] = from[name] ?? unknownEnd[name];
  return facts as ProcessEnd;
}

/** End of a process with leftovers, as its earlier supervisor recorded it. */
export interface PastEnd extends ProcessEnd {
  readonly endStatus: 'completed' | 'failed';
  readonly pid: number | null;
}

/** Order to stop, from the command to the proof. */
export interface StopOrder {
  readonly cause:
    | { readonly type: 'kill'; readonly by: Requester }
    | { readonly type: 'limit'; readonly limit: LimitName; readonly afterMs: number }
    | { readonly type: 'restart'; readonly by: Requester }
    /** Stopped until a restart is ordered. */
    | { readonly type: 'hold'; readonly by: Requester };
  readonly signal: ProcessSignal;
  readonly graceMs: number;
  readonly orderedAtMs: number;
  readonly escalated: boolean;
}

/** State of a process. `leftovers` are alive after the leader's natural end; `suspects` may belong to the tree, without proof. */
export interface ProcessContext extends Omit<ProcessInput, 'past'>, Omit<ProcessEnd, 'reason'> {
  /** True while this supervisor runs the attempt of an earlier one. */
  readonly isRestored: boolean;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  readonly pid: number | null;
  readonly pgid: number | null;
  readonly spawnedAtMs: number | null;
  /** Monotonic time of an exit that the backend did not observe; otherwise `null`. */
  readonly exitedAtMs: number | null;
  /** Set if the backend lost the leader during a stop, so that its exit, or its life, is unknown. */
  readonly loss: EndReason | null;
  readonly spawnFailure: Extract<EndReason, { type: 'spawnFailed' }> | null;
  readonly exceeded: ExceededLimit | null;
  readonly outputEnded: boolean;
  readonly stop: StopOrder | null;
  /** `proven` once all members are halted; `null` while the process runs. */
  readonly pause: 'ordered' | 'proven' | null;
  /** The last signal that was sent without an order to stop; `null` before the first. */
  readonly signalled: { readonly signal: ProcessSignal; readonly by: Requester } | null;
  /** Members alive although SIGKILL was sent. */
  readonly survivors: readonly TreeMember[];
  /** Members beside the leader that we ended. */
  readonly leftoversEnded: readonly TreeMember[];
  readonly reason: EndReason | null;
  /** Set once a process that was not stopped has ended. */
  readonly endStatus: 'completed' | 'failed' | null;
  /** Monotonic times of the restarts that still count. */
  readonly restartTimesMs: readonly number[];
  /** Monotonic time of the next start; computed on entry to `restarting`. */
  readonly nextStartAtMs: number | null;
}

/** @throws Error for the input of another actor: the chart was invoked as if it were a process. */
export function createProcessContext(given: ProcessInput): ProcessContext {
  if (given?.limits === undefined)
    throw new Error(`The input of processMachine is not a description with "limits": ${supervisorNeeded}`);
  const { past, ...input } = given;
  return {
    ...input,
    isRestored: past !== null,
    attempt: past?.attempt ?? 1,
    pid: null,
    pgid: null,
    spawnedAtMs: null,
    exitedAtMs: null,
    ...unknownEnd,
    reason: null,
    loss: null,
    spawnFailure: null,
    exceeded: null,
    outputEnded: false,
    stop: past?.stop ?? null,
    pause: null,
    signalled: null,
    survivors: [],
    leftoversEnded: [],
    endStatus: null,
    restartTimesMs: past?.restartTimesMs ?? [],
    nextStartAtMs: past?.nextStartAtMs ?? null,
    ...past?.end,
  };
}

/** Returns the context of the next attempt, without what the attempt before recorded. */
export function createNextAttempt(context: ProcessContext): ProcessContext {
  return {
    ...createProcessContext({ ...context, past: null }),
    background: context.background,
    attempt: context.attempt + 1,
    restartTimesMs: context.restartTimesMs,
    seed: context.seed,
  };
}
