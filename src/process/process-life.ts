import { type ActorRefFrom, createActor } from 'xstate';
import type { Limits, ProcessPast, StopOrder } from '../../machines/process/context.ts';
import type { BackendCommand, ProcessAnnouncement, ProcessEvent } from '../../machines/process/events.ts';
import type { processMachine } from '../../machines/process/machine.ts';
import { type LifeView, type ProcessStatus, toLifeView } from '../../machines/process/view.ts';
import type { Clock } from '../clock/clock.ts';
import { createDeadlines, type Deadlines, noDeadlines } from './deadlines.ts';
import type { ProcessPlan } from './process-plan.ts';
import type { ProcessWorld } from './process-world.ts';

/** A command or fact as it is sent; when is filled in on the way. */
export type UntimedEvent = ProcessEvent extends infer E
  ? E extends unknown
    ? Omit<E, 'atMs'>
    : never
  : never;

type ProcessActor = ActorRefFrom<typeof processMachine>;

/** A life that began under another supervisor: it goes on here, or it is over and only its facts are kept. */
export type RestoredLife =
  | { readonly type: 'live'; readonly past: ProcessPast; readonly times: ProcessTimes }
  | { readonly type: 'ended'; readonly view: LifeView; readonly times: ProcessTimes };

/** How far a life has come, for whoever would take it over. Monotonic times. */
export interface LifeProgress {
  readonly limits: Limits;
  readonly stop: StopOrder | null;
  readonly restartTimesMs: readonly number[];
  readonly nextStartAtMs: number | null;
}

/** The actor of a process while it lives, and what remains of it afterwards: a few facts. */
export class ProcessLife {
  deadlines: Deadlines;
  readonly times: ProcessTimes;
  readonly #clock: Clock;
  /** `null` once the process has ended. */
  #listeners: LifeListeners | null;
  #actor: ProcessActor | null;
  #view: LifeView;

  constructor(
    plan: ProcessPlan,
    wiring: {
      world: ProcessWorld;
      lastOutputAtMs: () => number;
      earlier: RestoredLife | null;
    } & LifeListeners,
  ) {
    const { world, earlier } = wiring;
    this.#clock = world.clock;
    this.times = earlier?.times ?? toNewTimes(world.clock);
    if (earlier?.type === 'ended') {
      this.#listeners = null;
      this.#actor = null;
      this.#view = earlier.view;
      this.deadlines = noDeadlines;
      return;
    }
    this.#listeners = wiring;
    this.deadlines = createDeadlines({
      clock: world.clock,
      lastOutputAtMs: wiring.lastOutputAtMs,
      onReached: (event) => this.#actor?.send(event),
    });
    this.#actor = createActor(world.machine, {
      // The same for all: xstate's charts remember every event type for ever, and the parent hears of the end by this id.
      id: 'process',
      input: {
        id: plan.id,
        background: plan.background,
        onTimeout: plan.onTimeout,
        limits: plan.limits,
        leftoverPolicy: plan.leftoverPolicy,
        restart: plan.restart,
        seed: Math.floor(Math.random() * 2 ** 32),
        past: earlier?.past ?? null,
      },
      parent: world.parent,
    });
    this.#view = toLifeView(this.#actor.getSnapshot());
  }

  begin(): void {
    const actor = this.#actor;
    if (actor === null) return;
    actor.on('*', (announcement) => this.#take(announcement));
    actor.subscribe({
      next: (snapshot) => this.#follow(toLifeView(snapshot)),
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

  /** `null` once it has ended, or was let go of. */
  get progress(): LifeProgress | null {
    if (this.#actor === null) return null;
    const { limits, stop, restartTimesMs, nextStartAtMs } = this.#actor.getSnapshot().context;
    return { limits, stop, restartTimesMs, nextStartAtMs };
  }

  /** Nothing happens once the process has ended. */
  send(event: UntimedEvent): void {
    this.#actor?.send({ ...event, atMs: this.#clock.nowMs() } as ProcessEvent);
  }

  /** `false` when there is no backend that could hear it. */
  sendToBackend(command: BackendCommand): boolean {
    const runner = this.#actor?.getSnapshot().children.runner;
    runner?.send(command);
    return runner !== undefined;
  }

  forgetLeftovers(): void {
    if ('leftovers' in this.#view) this.#view = { ...this.#view, leftovers: [] };
  }

  /** Ends the actor without an end of the process, for one that never was. */
  discard(): void {
    const actor = this.#actor;
    this.#letGo();
    // An actor with a parent cannot be stopped from outside, and its system would keep it: it ends by itself.
    actor?.send({ type: 'process.stop', by: 'supervisor', signal: 'SIGTERM', atMs: this.#clock.nowMs() });
  }

  /**
   * Lets go of a process that is to outlive this program: its runner is released, and nothing is announced any more. `false` while it
   * cannot be: it comes up, or ends.
   */
  detach(): boolean {
    const actor = this.#actor;
    if (actor === null) return false;
    this.send({ type: 'process.release' });
    // Between two attempts there is nothing to let go of but the actor: the next supervisor makes the attempt.
    const isReleased =
      this.status === 'restarting' || actor.getSnapshot().matches({ backgrounded: 'released' });
    if (isReleased) this.#letGo();
    return isReleased;
  }

  #follow(view: LifeView): void {
    if (this.#actor === null) return;
    this.#view = view;
    this.#listeners?.onSnapshot();
  }

  #take(announcement: ProcessAnnouncement): void {
    const actor = this.#actor;
    if (actor === null) return;
    this.#view = toLifeView(actor.getSnapshot());
    this.#note(announcement);
    const listeners = this.#listeners;
    if (announcement.type === 'process.ended') this.#letGo();
    listeners?.onAnnouncement(announcement);
  }

  #note({ type }: ProcessAnnouncement): void {
    const { times } = this;
    const [at, atMs] = [this.#clock.epochMs(), this.#clock.nowMs()];
    if (type === 'process.adopted' || type === 'process.released') times.backgroundedAt ??= at;
    if (type === 'process.adopted') this.#noteStart();
    if (type === 'process.started') [times.startedAt, times.startedAtMs] = [at, atMs];
    if (type === 'process.started' && this.#view.status === 'backgrounded') times.backgroundedAt ??= at;
    if (type === 'process.backgrounded') times.backgroundedAt = at;
    if (type === 'process.ended') [times.endedAt, times.endedAtMs] = [at, atMs];
  }

  /** A crash may have come before its start was written down: its backend knows. */
  #noteStart(): void {
    const spawnedAtMs = this.#actor?.getSnapshot().context.spawnedAtMs ?? null;
    if (spawnedAtMs === null || this.times.startedAtMs !== null) return;
    this.times.startedAtMs = spawnedAtMs;
    this.times.startedAt = Math.round(this.#clock.epochMs() - (this.#clock.nowMs() - spawnedAtMs));
  }

  /** The actor, its chart and its timers are large; of an ended process only the view is needed. */
  #letGo(): void {
    this.deadlines.disarmAll();
    this.deadlines = noDeadlines;
    this.#listeners = null;
    this.#actor = null;
  }

  /** The actor itself threw: what it was is over, and nobody can say more. */
  #break(error: unknown): void {
    if (this.#actor === null) return;
    const { attempt } = this.#view;
    this.#view = {
      status: 'lost',
      attempt,
      restarts: 0,
      pid: 'pid' in this.#view ? this.#view.pid : null,
      exit: null,
      reason: { type: 'lost', why: `its actor broke: ${String(error)}` },
      leftovers: [],
      suspects: [],
      receipt: null,
      outputEnded: false,
    };
    this.#note({ type: 'process.ended' });
    const listeners = this.#listeners;
    this.#letGo();
    listeners?.onBroken(error);
    listeners?.onAnnouncement({ type: 'process.ended' });
  }
}

function toNewTimes(clock: Clock): ProcessTimes {
  return {
    createdAt: clock.epochMs(),
    startedAt: null,
    startedAtMs: null,
    backgroundedAt: null,
    endedAt: null,
    endedAtMs: null,
  };
}

interface LifeListeners {
  /** The chart has taken a step; the status may be the same. */
  onSnapshot(): void;
  onAnnouncement(announcement: ProcessAnnouncement): void;
  /** The actor threw; `process.ended` follows. */
  onBroken(error: unknown): void;
}

/** When it all happened. `…At` is milliseconds since the epoch, `…AtMs` monotonic. */
export interface ProcessTimes {
  createdAt: number;
  startedAt: number | null;
  startedAtMs: number | null;
  backgroundedAt: number | null;
  endedAt: number | null;
  endedAtMs: number | null;
}
