import type { KillReceipt, ProcessSignal, Requester } from '../../machines/process/context.ts';
import { onceAborted } from '../config/abort-signal.ts';
import { parseOptions } from '../config/parse-options.ts';
import { killOptions, limitChanges } from '../config/process-spec.ts';
import { TroupeError } from '../config/troupe-error.ts';
import type { ChangeSignal } from './change-signal.ts';
import { type KillOrder, killProcess } from './kill-process.ts';
import type { ProcessDeps } from './process-deps.ts';
import type { KillAnswer, KillOptions, LimitChanges } from './process-handle.ts';
import type { ProcessLife } from './process-life.ts';
import { describeLostEnvironment, type ProcessPlan } from './process-plan.ts';
import type { ProcessView } from './process-view.ts';
import type { Timeline } from './timeline.ts';

interface OrderedProcess {
  readonly plan: ProcessPlan;
  readonly deps: ProcessDeps;
  readonly life: ProcessLife;
  readonly timeline: Timeline;
  readonly changes: ChangeSignal;
  view(): ProcessView;
}

/** Orders to one process, each checked against its state before the chart receives it. */
export class ProcessOrders {
  readonly #process: OrderedProcess;

  constructor(process: OrderedProcess) {
    this.#process = process;
  }

  async kill(order: KillOptions | ProcessSignal = {}): Promise<KillAnswer> {
    const process = this.#process;
    const { plan, deps, life } = process;
    const { signal, grace, by } = parseOptions(killOptions, {
      input: typeof order === 'string' ? { signal: order } : order,
      name: 'kill',
    });
    if (life.isDetached) return refuseDetached(plan.id);
    const target = {
      id: plan.id,
      life: life.view,
      clock: deps.clock,
      view: () => process.view(),
      hasEnded: () => life.hasEnded,
      settled: () => this.#settled(),
      orderStop: (order: KillOrder) => this.stop({ ...order, by }),
      endLeftovers: (order: KillOrder) => this.#endLeftovers({ ...order, by }),
    };
    return killProcess(target, { signal: signal as KillOrder['signal'], graceMs: grace });
  }

  /** Kills the process, or moves it to the background, once the signal is aborted. Leaves no listener behind at the end. */
  followSignal(signal: AbortSignal, onAbort: 'kill' | 'detach'): void {
    const { life, changes } = this.#process;
    const release = onceAborted(signal, () => {
      if (onAbort === 'kill') void this.kill({ by: 'owner' });
      else this.background('owner');
    });
    void changes.until(() => life.isOver).then(release);
  }

  /** Orders the stop without waiting for it. */
  stop(order: Partial<KillOrder> & Pick<KillOrder, 'signal'> & { by: Requester }): void {
    const { signal, graceMs, by } = order;
    this.#process.life.send({
      type: 'process.stop',
      by,
      signal,
      ...(graceMs !== undefined && { graceMs }),
    });
  }

  background(by: Requester): boolean {
    const { life } = this.#process;
    if (life.isDetached) return false;
    const { status } = life;
    const isUp = status === 'running' && life.view.status === 'running' && life.view.exit === null;
    if (!isUp && status !== 'pending' && status !== 'restarting') return false;
    life.send({ type: 'process.background', by });
    return true;
  }

  restart(by: Requester): boolean {
    if (!this.#isRestartable) return false;
    const { lostNames } = this.#process.plan.launch;
    // Thrown before the process is ended.
    if (lostNames.length > 0)
      throw new TroupeError({ code: 'not-found', message: describeLostEnvironment(lostNames) });
    this.#process.life.send({ type: 'process.restart', by });
    return true;
  }

  hold({ by = 'user', signal = 'SIGTERM' }: { by?: Requester; signal?: ProcessSignal }): boolean {
    if (!this.#isRestartable) return false;
    this.#process.life.send({ type: 'process.hold', by, signal });
    return true;
  }

  proceed(): boolean {
    const { life } = this.#process;
    if (life.isDetached || life.status !== 'restarting') return false;
    life.send({ type: 'process.proceed' });
    return true;
  }

  changeLimits(changes: LimitChanges): boolean {
    const { life, timeline } = this.#process;
    const parsed = parseOptions(limitChanges, { input: changes, name: 'changeLimits' });
    if (life.isOver || life.status === 'stopping') return false;
    life.send({
      type: 'limits.change',
      limits: {
        ...(parsed.timeout !== undefined && { timeoutMs: parsed.timeout }),
        ...(parsed.maxExecutionTime !== undefined && { maxExecutionMs: parsed.maxExecutionTime }),
        ...(parsed.maxBackgroundTime !== undefined && { maxBackgroundMs: parsed.maxBackgroundTime }),
      },
    });
    timeline.add('limits.changed');
    return true;
  }

  get #isRestartable(): boolean {
    const { isDetached, status } = this.#process.life;
    return !isDetached && (status === 'running' || status === 'backgrounded' || status === 'restarting');
  }

  #endLeftovers({ signal, by, ...order }: KillOrder & { by: Requester }): Promise<KillReceipt> {
    const { plan, deps } = this.#process;
    const graceMs = order.graceMs ?? plan.limits.killGraceMs;
    return deps.endLeftovers(plan.id, { signal, by, graceMs });
  }

  /** Resolves with the receipt of the stop, at the end or when something survived; `null` where nothing was stopped. */
  async #settled(): Promise<KillReceipt | null> {
    const { life, changes } = this.#process;
    let survivedWith: KillReceipt | null = null;
    await changes.until(() => {
      const { view } = life;
      survivedWith = view.status === 'stopping' ? view.receipt : null;
      return life.isOver || survivedWith !== null;
    });
    const { view } = life;
    return 'receipt' in view ? view.receipt : survivedWith;
  }
}

function refuseDetached(id: string): KillAnswer {
  const message =
    `Process ${id} was not ended: it is persistent, and its supervisor has shut down and left it running. ` +
    'End it with the next supervisor of the state directory, or with troupe kill.';
  return { type: 'notRunning', message };
}
