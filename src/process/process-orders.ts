import type { KillReceipt, ProcessSignal, Requester } from '../../machines/process/context.ts';
import type { LifeView } from '../../machines/process/view.ts';
import { onceAborted } from '../config/abort-signal.ts';
import { parseOptions } from '../config/parse-options.ts';
import { killOptions, limitChanges, pauseOptions, signalOptions } from '../config/process-order-options.ts';
import type { EndingSignal } from '../config/signal-name.ts';
import { TroupeError } from '../config/troupe-error.ts';
import type { ChangeSignal } from './change-signal.ts';
import { type KillOrder, killProcess } from './kill-process.ts';
import type { ProcessDeps } from './process-deps.ts';
import type { KillAnswer, KillOptions, LimitChanges, SignalAnswer, SignalOptions } from './process-handle.ts';
import type { ProcessLife, UntimedCommand } from './process-life.ts';
import { describeLostEnvironment, type ProcessPlan } from './process-plan.ts';
import type { ProcessView } from './process-view.ts';
import { type SignalOrder, signalProcess } from './signal-process.ts';
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

  async kill(order: KillOptions | EndingSignal = {}): Promise<KillAnswer> {
    const process = this.#process;
    const { plan, deps, life } = process;
    const { signal, grace, by } = parseOptions(killOptions, {
      input: typeof order === 'string' ? { signal: order } : order,
      name: 'kill',
    });
    if (life.isDetached) return refuseDetached(plan.id);
    const target = {
      ...{ id: plan.id, life, clock: deps.clock },
      view: () => process.view(),
      settled: () => this.#settled(),
      orderStop: (order: KillOrder) => this.stop({ ...order, by }),
    };
    return killProcess(target, { signal, graceMs: grace });
  }

  /** Sends a signal that does not stop the process. */
  async signal(order: SignalOptions | ProcessSignal): Promise<SignalAnswer> {
    const { signal, to, by } = parseOptions(signalOptions, {
      input: typeof order === 'string' ? { signal: order } : order,
      name: 'signal',
    });
    if (signal === 'SIGSTOP') return this.pause(by);
    if (signal === 'SIGCONT') return this.resume(by);
    return this.#signal({ type: 'process.signal', signal, to, by });
  }

  async pause(by: Requester = 'user'): Promise<SignalAnswer> {
    return this.#signal({
      type: 'process.pause',
      ...parseOptions(pauseOptions, { input: { by }, name: 'pause' }),
    });
  }

  async resume(by: Requester = 'user'): Promise<SignalAnswer> {
    return this.#signal({
      type: 'process.resume',
      ...parseOptions(pauseOptions, { input: { by }, name: 'resume' }),
    });
  }

  #signal(order: SignalOrder): Promise<SignalAnswer> {
    const { plan, life, view } = this.#process;
    return signalProcess({ id: plan.id, life, view: () => view.call(this.#process) }, order);
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
    return this.#order({ type: 'process.background', by });
  }

  restart(by: Requester): boolean {
    const { life, plan } = this.#process;
    const { lostNames } = plan.launch;
    const command = { type: 'process.restart', by } as const;
    if (!life.can(command)) return false;
    // Thrown before the process is ended.
    if (lostNames.length > 0)
      throw new TroupeError({ code: 'not-found', message: describeLostEnvironment(lostNames) });
    life.send(command);
    return true;
  }

  hold({ by = 'user', signal = 'SIGTERM' }: { by?: Requester; signal?: EndingSignal }): boolean {
    return this.#order({ type: 'process.hold', by, signal });
  }

  proceed(): boolean {
    return this.#order({ type: 'process.proceed' });
  }

  changeLimits(changes: LimitChanges): boolean {
    const parsed = parseOptions(limitChanges, { input: changes, name: 'changeLimits' });
    const isChanged = this.#order({
      type: 'limits.change',
      limits: {
        ...(parsed.timeout !== undefined && { timeoutMs: parsed.timeout }),
        ...(parsed.maxExecutionTime !== undefined && { maxExecutionMs: parsed.maxExecutionTime }),
        ...(parsed.maxBackgroundTime !== undefined && { maxBackgroundMs: parsed.maxBackgroundTime }),
      },
    });
    if (isChanged) this.#process.timeline.add('limits.changed');
    return isChanged;
  }

  /** Sends a command that the chart takes now; returns `false` for any other. */
  #order(command: UntimedCommand): boolean {
    const { life } = this.#process;
    if (!life.can(command)) return false;
    life.send(command);
    return true;
  }

  /** Resolves with the receipt of the stop, at the end or when something survived; `null` where nothing was stopped. */
  async #settled(): Promise<KillReceipt | null> {
    const { life, changes } = this.#process;
    const receiptOf = (view: LifeView) => ('receipt' in view ? view.receipt : null);
    await changes.until(() => receiptOf(life.view) !== null || (life.isOver && !life.hasLeftovers));
    return receiptOf(life.view);
  }
}

function refuseDetached(id: string): KillAnswer {
  const message =
    `Process ${id} was not ended: it is persistent, and its supervisor has shut down and left it running. ` +
    'End it with the next supervisor of the state directory, or with troupe kill.';
  return { type: 'notRunning', message };
}
