import { type ActorRefFrom, createActor, type SnapshotFrom } from 'xstate';
import { type Limits, type ProcessPast, type StopOrder, unknownEnd } from '../../machines/process/context.ts';
import type {
  BackendCommand,
  ProcessAnnouncement,
  ProcessCommand,
  ProcessEvent,
} from '../../machines/process/events.ts';
import type { processMachine } from '../../machines/process/machine.ts';
import { isFinal, type LifeView, type ProcessStatus, toLifeView } from '../../machines/process/view.ts';
import type { Clock } from '../clock/clock.ts';
import { createDeadlines, type Deadlines, noDeadlines } from './deadlines.ts';
import type { ProcessDeps } from './process-deps.ts';
import type { ProcessPlan } from './process-plan.ts';
import type { TimelineCause } from './timeline.ts';

type Untimed<Event> = Event extends unknown ? Omit<Event, 'atMs'> : never;

/** A command or fact without its time, which is added when it is sent. */
export type UntimedEvent = Untimed<ProcessEvent>;
export type UntimedCommand = Untimed<ProcessCommand>;

type ProcessActor = ActorRefFrom<typeof processMachine>;

/** Life that began under another supervisor: it continues here, or it has ended. An ended life has a `past` if its leftovers can be watched. */
export type RestoredLife =
  | { readonly type: 'live'; readonly past: ProcessPast; readonly times: ProcessTimes }
  | {
      readonly type: 'ended';
      readonly view: LifeView;
      readonly past: ProcessPast | null;
      readonly times: ProcessTimes;
    };

/** State of a life that the next supervisor needs. Monotonic times. */
interface LifeProgress {
  readonly limits: Limits;
  readonly stop: StopOrder | null;
  readonly restartTimesMs: readonly number[];
  readonly nextStartAtMs: number | null;
}

/** The actor of a process while it lives, and afterwards the few facts that remain of it. */
export class ProcessLife {
  deadlines: Deadlines;
  readonly times: ProcessTimes;
  readonly #isRemote: boolean;
  readonly #clock: Clock;
  readonly #causeOf: ProcessDeps['causeOf'];
  /** `null` once the process has ended or was detached. */
  #listeners: LifeListeners | null;
  #actor: ProcessActor | null;
  #view: LifeView;
  #isDetached = false;

  constructor(
    plan: ProcessPlan,
    options: {
      deps: ProcessDeps;
      lastOutputAtMs: () => number;
      earlier: RestoredLife | null;
    } & LifeListeners,
  ) {
    const { deps, earlier } = options;
    this.#isRemote = plan.host !== null;
    this.#clock = deps.clock;
    this.#causeOf = deps.causeOf;
    this.times = earlier?.times ?? toNewTimes(deps.clock);
    if (earlier?.type === 'ended' && earlier.past === null) {
      this.#listeners = null;
      this.#actor = null;
      this.#view = earlier.view;
      this.deadlines = noDeadlines;
      return;
    }
    this.#listeners = options;
    this.deadlines = createDeadlines({
      clock: deps.clock,
      lastOutputAtMs: options.lastOutputAtMs,
      onReached: (event) => this.#actor?.send(event),
    });
    this.#actor = createActor(deps.machine, {
      // The same for all: xstate remembers every event type for ever, and the parent receives the end by this id.
      id: 'process',
      input: {
        id: plan.id,
        ...plan.run,
        seed: deps.createSeed(plan.id),
        past: earlier?.past ?? null,
      },
      parent: deps.parent,
    });
    this.#view = earlier?.type === 'ended' ? earlier.view : toLifeView(this.#actor.getSnapshot());
  }

  begin(): void {
    const actor = this.#actor;
    if (actor === null) return;
    actor.on('*', (announcement) => this.#take(announcement));
    actor.subscribe({
      next: (snapshot) => this.#follow(snapshot),
      error: (error) => this.#break(error),
    });
    actor.start();
  }

  get status(): ProcessStatus {
    return this.#view.status;
  }

  get view(): LifeView {
    return this.#view;
  }

  get hasEnded(): boolean {
    return isFinal(this.#view.status);
  }

  /** True if the process has ended and its chart watches living members of its tree. */
  get hasLeftovers(): boolean {
    return this.hasEnded && this.#actor !== null;
  }

  /** Tells whether the chart would take the command now. */
  can(command: UntimedCommand): boolean {
    return this.#actor?.getSnapshot().can({ ...command, atMs: this.#clock.nowMs() }) ?? false;
  }

  /** True if the process continues without this supervisor, which has detached from it. */
  get isDetached(): boolean {
    return this.#isDetached;
  }

  /** True once the process has ended or was detached: nothing more will be known of it here. */
  get isOver(): boolean {
    return this.hasEnded || this.#isDetached;
  }

  /** True between two attempts, and in a queue of other hosts: the next supervisor starts the attempt, or follows its order. */
  get isUnspawned(): boolean {
    const view = this.#view;
    return view.status === 'restarting' || (view.status === 'pending' && view.starting && this.#isRemote);
  }

  /** `null` once it has ended or was detached. */
  get progress(): LifeProgress | null {
    if (this.#actor === null || this.hasEnded) return null;
    const { limits, stop, restartTimesMs, nextStartAtMs } = this.#actor.getSnapshot().context;
    return { limits, stop, restartTimesMs, nextStartAtMs };
  }

  /** Has no effect once the process has ended. */
  send(event: UntimedEvent): void {
    this.#actor?.send({ ...event, atMs: this.#clock.nowMs() } as ProcessEvent);
  }

  /** Sends a command to the backend and resolves with its reply, or with `otherwise` where no backend runs. */
  ask<Answer>(
    toCommand: (reply: (answer: Answer) => void) => BackendCommand,
    otherwise: Answer,
  ): Promise<Answer> {
    return new Promise((resolve) => {
      const runner = this.hasEnded ? undefined : this.#actor?.getSnapshot().children.runner;
      if (runner === undefined) resolve(otherwise);
      else runner.send(toCommand(resolve));
    });
  }

  /** Ends the actor of a process that was refused; no end of the process is announced. */
  discard(): void {
    const actor = this.#actor;
    this.#dropActor();
    // An actor with a parent cannot be stopped from outside, and its system would keep it: the order makes it end.
    actor?.send({ type: 'process.stop', by: 'supervisor', signal: 'SIGTERM', atMs: this.#clock.nowMs() });
  }

  /**
   * Detaches from a process, or from leftovers, that are to outlive this program: the backend leaves them running, and nothing more is
   * announced. Returns `false` where that is impossible, while the process starts on this machine, while it ends, and for leftovers: their
   * process has ended here.
   */
  detach(): boolean {
    const actor = this.#actor;
    if (actor === null) return false;
    this.send({ type: 'process.release' });
    if (this.hasEnded) return false;
    this.#isDetached = this.isUnspawned || actor.getSnapshot().matches({ backgrounded: 'released' });
    if (this.#isDetached) this.#dropActor();
    return this.#isDetached;
  }

  #follow(snapshot: SnapshotFrom<typeof processMachine>): void {
    if (this.#actor === null) return;
    const view = toLifeView(snapshot);
    // An ended process stays ended while its leftovers are adopted.
    if (this.hasEnded && !isFinal(view.status)) return;
    this.#view = view;
    this.#listeners?.onSnapshot();
    if (snapshot.status === 'done') this.#dropActor();
  }

  #take(announcement: ProcessAnnouncement): void {
    const actor = this.#actor;
    if (actor === null) return;
    this.#view = toLifeView(actor.getSnapshot());
    this.#note(announcement);
    const listeners = this.#listeners;
    const cause = this.#causeOf(actor);
    if (actor.getSnapshot().status === 'done') this.#dropActor();
    listeners?.onAnnouncement(announcement, cause);
  }

  #note({ type }: ProcessAnnouncement): void {
    const { times } = this;
    const [at, atMs] = [this.#clock.epochMs(), this.#clock.nowMs()];
    if (type === 'process.adopted' || type === 'process.released') times.backgroundedAt ??= at;
    if (type === 'process.adopted') this.#noteStart();
    // A process may be paused, or resumed, while no supervisor is there.
    if (type === 'process.adopted')
      times.pausedAt = 'isPaused' in this.#view && this.#view.isPaused ? (times.pausedAt ?? at) : null;
    if (type === 'process.paused') times.pausedAt = at;
    // The announcement follows the spawn by up to some milliseconds.
    if (type === 'process.started') [times.startedAt, times.startedAtMs] = [at, this.#spawnedAtMs ?? atMs];
    if (type === 'process.started' && this.#view.status === 'backgrounded') times.backgroundedAt ??= at;
    if (type === 'process.backgrounded') times.backgroundedAt = at;
    if (type === 'process.ended') this.#noteEnd();
  }

  /** Records the time of the end: that of the exit if the backend reports it, otherwise now. */
  #noteEnd(): void {
    const { times } = this;
    const exitedAtMs = this.#actor?.getSnapshot().context.exitedAtMs ?? this.#clock.nowMs();
    // If the wall clock was set back, the exit seems to precede the start.
    times.endedAtMs = Math.max(exitedAtMs, times.startedAtMs ?? exitedAtMs);
    times.endedAt = this.#toEpoch(times.endedAtMs);
  }

  /** Takes the time of the start from the backend: a crash may have come before it was recorded. */
  #noteStart(): void {
    const spawnedAtMs = this.#spawnedAtMs;
    if (spawnedAtMs === null || this.times.startedAtMs !== null) return;
    this.times.startedAtMs = spawnedAtMs;
    this.times.startedAt = this.#toEpoch(spawnedAtMs);
  }

  #toEpoch(ms: number): number {
    return Math.round(this.#clock.epochMs() - (this.#clock.nowMs() - ms));
  }

  get #spawnedAtMs(): number | null {
    return this.#actor?.getSnapshot().context.spawnedAtMs ?? null;
  }

  /** Frees the actor and its timers, which are large; of an ended process only the view is needed. */
  #dropActor(): void {
    this.deadlines.disarmAll();
    this.deadlines = noDeadlines;
    this.#listeners = null;
    this.#actor = null;
  }

  /** Ends the process as lost: the actor itself threw. */
  #break(error: unknown): void {
    if (this.#actor === null) return;
    const { attempt } = this.#view;
    this.#view = {
      status: 'lost',
      attempt,
      restarts: 0,
      pid: 'pid' in this.#view ? this.#view.pid : null,
      outputEnded: false,
      ...unknownEnd,
      reason: { type: 'lost', why: `its actor broke: ${String(error)}` },
    };
    this.#note({ type: 'process.ended' });
    const listeners = this.#listeners;
    this.#dropActor();
    listeners?.onBroken(error);
    listeners?.onAnnouncement({ type: 'process.ended' }, null);
  }
}

function toNewTimes(clock: Clock): ProcessTimes {
  return {
    createdAt: clock.epochMs(),
    startedAt: null,
    startedAtMs: null,
    backgroundedAt: null,
    pausedAt: null,
    endedAt: null,
    endedAtMs: null,
  };
}

interface LifeListeners {
  /** Called after each step of the chart; the status may be the same. */
  onSnapshot(): void;
  onAnnouncement(announcement: ProcessAnnouncement, cause: TimelineCause | null): void;
  /** Called when the actor threw; `process.ended` follows. */
  onBroken(error: unknown): void;
}

/** Times of one process. `…At` is milliseconds since the epoch, `…AtMs` monotonic. */
export interface ProcessTimes {
  createdAt: number;
  startedAt: number | null;
  startedAtMs: number | null;
  backgroundedAt: number | null;
  pausedAt: number | null;
  endedAt: number | null;
  endedAtMs: number | null;
}
