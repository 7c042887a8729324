/** Names of POSIX signals, as `kill -l` prints them, with the `SIG`. */
export type ProcessSignal = `SIG${string}`;

/** Who ordered something: the model, a person, troupe itself, or the conversation the process belongs to. */
export type Requester = 'agent' | 'user' | 'supervisor' | 'owner';

/** What the operating system reported of the leader. `code` stays `null` after a signal, and never becomes 0. */
export interface ExitStatus {
  readonly code: number | null;
  readonly signal: ProcessSignal | null;
}

/** One operating-system process of a tree. */
export interface TreeMember {
  readonly pid: number;
  readonly pgid: number;
  /** Start time in the process table's unit: with the pid it names one process for ever. */
  readonly startedAt: string;
  readonly command: string;
}

/** Which step of a start the operating system refused. */
export type SpawnFailureCause =
  | 'missing-program'
  | 'missing-cwd'
  | 'no-permission'
  | 'arguments-too-long'
  | 'too-many-files'
  | 'out-of-processes'
  | 'other';

/** Which limit stopped a process. */
export type LimitName = 'timeout' | 'maxExecutionTime' | 'maxBackgroundTime';

/** Why a run ended. Exactly one per run; beside it `exit` keeps what the operating system reported. */
export type EndReason =
  | { readonly type: 'exited'; readonly code: number }
  | { readonly type: 'signalled'; readonly signal: ProcessSignal; readonly by: 'outside' }
  | { readonly type: 'timedOut'; readonly limit: LimitName; readonly afterMs: number }
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
  | { readonly type: 'lost'; readonly why: string };

/** What the proof of a kill says. */
export interface KillReceipt {
  /** The first signal that was sent. */
  readonly signalled: ProcessSignal;
  /** Whether SIGKILL had to follow. */
  readonly escalated: boolean;
  /** Still alive. Empty in all but the strangest cases: a process that the kernel cannot end. */
  readonly survivors: readonly TreeMember[];
  /** Members beside the leader that ended with it. */
  readonly leftoversEnded: readonly TreeMember[];
  /** From the signal to the proof. */
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

/** What happens when a foreground caller has waited for `timeoutMs`. */
export type OnTimeout = 'background' | 'kill' | 'wait';

/** OTP's words: never, after an abnormal end, always. */
export type RestartPolicy = 'temporary' | 'transient' | 'permanent';

export interface RestartSettings {
  readonly policy: RestartPolicy;
  /** More restarts than this within `withinMs` end the process for good. */
  readonly maxRestarts: number;
  readonly withinMs: number;
  readonly minBackoffMs: number;
  readonly maxBackoffMs: number;
  /** Alive for so long, earlier restarts are forgotten. */
  readonly healthyAfterMs: number;
}

/** The five ways to end. */
export type FinalStatus = 'completed' | 'failed' | 'killed' | 'timed_out' | 'lost';

/** What the chart is told of a process when it is created. All of it can be written down as JSON. */
export interface ProcessInput {
  readonly id: string;
  readonly background: boolean;
  readonly onTimeout: OnTimeout;
  readonly limits: Limits;
  readonly leftoverPolicy: 'keep' | 'kill';
  readonly restart: RestartSettings;
  /** Where the jitter of restarts comes from: the chart itself makes no random numbers. */
  readonly seed: number;
  /** `null` for one that is new. */
  readonly past: ProcessPast | null;
}

/** What an earlier supervisor knew of a process that is taken over from it. Monotonic times are of this program's clock. */
export interface ProcessPast {
  readonly attempt: number;
  readonly restartTimesMs: readonly number[];
  /** Set while it waited for its next attempt. */
  readonly nextStartAtMs: number | null;
  /** It was being stopped. */
  readonly stop: StopOrder | null;
}

/** An ordered stop, from the order to the proof. */
export interface StopOrder {
  readonly cause:
    | { readonly type: 'kill'; readonly by: Requester }
    | { readonly type: 'limit'; readonly limit: LimitName; readonly afterMs: number }
    | { readonly type: 'restart'; readonly by: Requester }
    /** It is started again once that is ordered. */
    | { readonly type: 'hold'; readonly by: Requester };
  readonly signal: ProcessSignal;
  readonly graceMs: number;
  readonly orderedAtMs: number;
  readonly escalated: boolean;
}

export interface ProcessContext extends Omit<ProcessInput, 'past'> {
  /** 1 for the first start. */
  readonly attempt: number;
  readonly pid: number | null;
  readonly pgid: number | null;
  readonly spawnedAtMs: number | null;
  readonly exit: ExitStatus | null;
  /** While it was being stopped it became known that nobody can say how its leader ended, or whether it did. */
  readonly loss: EndReason | null;
  readonly spawnFailure: Extract<EndReason, { type: 'spawnFailed' }> | null;
  readonly outputEnded: boolean;
  readonly stop: StopOrder | null;
  /** Alive beside the leader, after its natural end. */
  readonly leftovers: readonly TreeMember[];
  /** Perhaps its own, which cannot be proven: alive at its end, begun in its life, without a trace of who started them. */
  readonly suspects: readonly TreeMember[];
  /** Alive although SIGKILL was sent. */
  readonly survivors: readonly TreeMember[];
  /** Members beside the leader that were ended by us. */
  readonly leftoversEnded: readonly TreeMember[];
  readonly receipt: KillReceipt | null;
  readonly reason: EndReason | null;
  /** Monotonic times of the restarts that still count. */
  readonly restartTimesMs: readonly number[];
  /** The pause before the next start; drawn when the process went into `restarting`. */
  readonly nextStartAtMs: number | null;
}

export function createProcessContext({ past, ...input }: ProcessInput): ProcessContext {
  return {
    ...input,
    attempt: past?.attempt ?? 1,
    pid: null,
    pgid: null,
    spawnedAtMs: null,
    exit: null,
    loss: null,
    spawnFailure: null,
    outputEnded: false,
    stop: past?.stop ?? null,
    leftovers: [],
    suspects: [],
    survivors: [],
    leftoversEnded: [],
    receipt: null,
    reason: null,
    restartTimesMs: past?.restartTimesMs ?? [],
    nextStartAtMs: past?.nextStartAtMs ?? null,
  };
}

/** What a context says of a run that begins anew: everything of the attempt before is forgotten. */
export function createNextAttempt(context: ProcessContext): ProcessContext {
  return {
    ...createProcessContext({ ...context, past: null }),
    background: context.background,
    attempt: context.attempt + 1,
    restartTimesMs: context.restartTimesMs,
    seed: context.seed,
  };
}
