import type { ProcessAnnouncement } from '../../machines/process/events.ts';
import type { ProcessStatus } from '../../machines/process/view.ts';
import { type AbortOptions, abortOptions, toWaitSignal } from '../config/abort-signal.ts';
import { parseOptions } from '../config/parse-options.ts';
import type { ProcessIdentity } from '../spawn/tree/identity.ts';
import { ChangeSignal } from './change-signal.ts';
import type { ProcessDeps } from './process-deps.ts';
import type { ProcessHandle } from './process-handle.ts';
import { ProcessInput } from './process-input.ts';
import { ProcessLife } from './process-life.ts';
import { ProcessOrders } from './process-orders.ts';
import { ProcessOutput } from './process-output.ts';
import type { ProcessPlan } from './process-plan.ts';
import type { RecordedWatch } from './process-record.ts';
import type { FinalView, ProcessView, ReadyView } from './process-view.ts';
import type { RestoredProcess } from './restored-process.ts';
import { SupervisedHandle } from './supervised-handle.ts';
import { Timeline, type TimelineCause } from './timeline.ts';
import { toProcessView } from './to-process-view.ts';

/** A process as its supervisor sees it: the parts that it is made of, and what only the supervisor may do. */
export class SupervisedProcess {
  readonly plan: ProcessPlan;
  readonly deps: ProcessDeps;
  readonly life: ProcessLife;
  readonly output: ProcessOutput;
  readonly input: ProcessInput;
  readonly orders: ProcessOrders;
  readonly timeline: Timeline;
  /** Notifies after each change of status, readiness, awaited input or size. */
  readonly changes: ChangeSignal;
  readonly handle: ProcessHandle;
  /** The current owner; `plan.owner` is the first. */
  owner: string;
  /** Watches of the process as they are recorded. */
  watches: readonly RecordedWatch[];
  readonly #restored: RestoredProcess | null;
  #shownStatus: ProcessStatus;
  #ready: ReadyView;
  #ended: Promise<FinalView> | null = null;

  constructor(plan: ProcessPlan, deps: ProcessDeps, restored: RestoredProcess | null = null) {
    this.plan = plan;
    this.deps = deps;
    this.#restored = restored;
    this.owner = restored?.owner ?? plan.owner;
    this.watches = restored?.watches ?? [];
    this.#ready = restored?.ready ?? { state: plan.ready === null ? 'undeclared' : 'waiting' };
    this.changes = new ChangeSignal(plan.id, deps);
    this.timeline = new Timeline(restored?.timeline ?? [], { id: plan.id, deps });
    this.output = new ProcessOutput(plan, deps, restored);
    this.life = new ProcessLife(plan, {
      deps,
      earlier: restored?.life ?? null,
      lastOutputAtMs: () => this.output.log.lastWriteAtMs,
      onSnapshot: () => this.#showStatus(),
      onAnnouncement: (announcement, cause) => this.#take(announcement, cause),
      onBroken: (error) => deps.emit(plan.id, { type: 'process.broken', error }),
    });
    this.input = new ProcessInput(plan, this);
    this.orders = new ProcessOrders(this);
    this.handle = new SupervisedHandle(this);
    this.#shownStatus = this.life.status;
    if (restored === null) this.timeline.add('process.created');
  }

  get id(): string {
    return this.plan.id;
  }

  get status(): ProcessStatus {
    return this.life.status;
  }

  /** True if the process began under another supervisor. */
  get isRestored(): boolean {
    return this.#restored !== null;
  }

  /** See `RestoredProcess`. */
  get isUnowned(): boolean {
    return this.#restored?.isUnowned ?? false;
  }

  /** See `RestoredProcess`. */
  get recordedLeader(): ProcessIdentity | null {
    return this.#restored?.leader ?? null;
  }

  view(): ProcessView {
    const { plan, owner, life, input, output } = this;
    return toProcessView({
      plan,
      owner,
      life: life.view,
      times: life.times,
      ready: this.#currentReadiness,
      clock: this.deps.clock,
      output: output.view(),
      terminal: input.terminal.view,
      takesInput: input.isAvailable,
      awaitsInput: input.awaited,
      progress: life.hasEnded || !('pid' in life.view) ? null : output.progress(),
    });
  }

  /** Resolves once, at the end, when everything that was printed is in the log. */
  get ended(): Promise<FinalView> {
    this.#ended ??= this.changes
      .until(() => this.life.hasEnded)
      .then(async () => {
        await this.output.flushed;
        // Releases the view: it would be kept as long as the process is listed.
        this.#ended = null;
        return this.view() as FinalView;
      });
    return this.#ended;
  }

  /** Resolves when it is ready, with the reason why it never will be, or with `waiting` when the wait was aborted. */
  async ready(options: AbortOptions = {}): Promise<ReadyView> {
    const settings = parseOptions(abortOptions, { input: options, name: 'ready' });
    const { signal, release } = toWaitSignal(settings, () => this.orders.kill({ by: 'owner' }));
    await this.changes.until(() => this.#currentReadiness.state !== 'waiting' || this.life.isOver, signal);
    release();
    const ready = this.#currentReadiness;
    if (ready.state !== 'waiting' || !this.life.isOver) return ready;
    return { state: 'failed', why: this.life.isDetached ? 'its supervisor ended first' : 'it ended first' };
  }

  /** Readiness ends with the leader, although its last output and its tree are still awaited. */
  get #currentReadiness(): ReadyView {
    const { view } = this.life;
    const hasLeaderExited = !this.life.isOver && 'exit' in view && view.exit !== null;
    return hasLeaderExited && this.#ready.state === 'ready' ? { state: 'waiting' } : this.#ready;
  }

  setReady(ready: ReadyView): void {
    this.#ready = ready;
    this.timeline.add(
      ready.state === 'ready' ? 'process.ready' : 'process.unready',
      ready.state === 'failed' ? { detail: ready.why } : {},
    );
    this.changes.notify();
  }

  /** To be called before the backend runs: a process may print before anything else is known of it. */
  beginAttempt(): void {
    this.output.beginAttempt();
    this.input.beginAttempt();
  }

  /** To be called when no more output of an attempt can come. If the process has ended before, its log was open until now. */
  endOutput(attempt: number): void {
    const { life } = this;
    if (life.hasEnded && !life.hasLeftovers && life.view.attempt === attempt) this.output.close();
  }

  /** Leaves the process running for the next supervisor; see `ProcessLife.detach`. Observers of it complete. */
  detach(): boolean {
    if (!this.life.detach()) return false;
    if (this.life.isUnspawned) this.timeline.add('process.released', { by: 'supervisor' });
    this.output.detach();
    this.input.close();
    this.changes.notify();
    return true;
  }

  /** Removes all traces of a process that was refused. */
  discard(): void {
    this.life.discard();
    this.output.close();
  }

  #take(announcement: ProcessAnnouncement, cause: TimelineCause | null): void {
    const { type } = announcement;
    this.timeline.addAnnouncement(announcement, { view: this.life.view, cause });
    if (type === 'process.restarting') this.output.log.markRestart();
    if (this.plan.ready !== null && endsReadiness.has(type)) this.#ready = { state: 'waiting' };
    if (type === 'process.started') this.input.beginFeeding();
    if (type === 'process.restarting') this.input.endFeeding();
    if (type === 'process.stopping') this.output.log.expectEnd();
    if (type === 'process.ended') this.#end();
    if (type === 'leftovers.ended') this.output.close();
    if (changesWithoutStatus.has(type)) this.changes.notify();
    else this.#showStatus();
    this.deps.emit(this.id, announcement);
  }

  #end(): void {
    const { view } = this.life;
    this.input.close();
    this.output.end({ isOpen: 'outputEnded' in view && (view.leftovers.length > 0 || !view.outputEnded) });
  }

  /** Notifies once per status: an announcement comes before its step of the chart is complete, and either may be first. */
  #showStatus(): void {
    if (this.#shownStatus === this.status) return;
    this.#shownStatus = this.status;
    this.changes.notify();
  }
}

/** Announcements that change the view and may leave the status as it is. */
const changesWithoutStatus = new Set<ProcessAnnouncement['type']>([
  'process.survived',
  'process.backgrounded',
  'process.paused',
  'process.resumed',
  'leftovers.ended',
]);

/** Announcements after which a process is no longer ready. */
const endsReadiness = new Set<ProcessAnnouncement['type']>([
  'process.started',
  'process.stopping',
  'process.restarting',
]);
