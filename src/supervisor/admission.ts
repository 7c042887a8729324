import { type ActorRefFrom, createActor, type InspectionEvent } from 'xstate';
import type { Lane, SupervisorInput } from '../../machines/supervisor/context.ts';
import type { Refusal, Slot, SupervisorEvent } from '../../machines/supervisor/events.ts';
import { supervisorMachine } from '../../machines/supervisor/machine.ts';
import type { Cancel, Clock } from '../clock/clock.ts';
import { TroupeError } from '../config/troupe-error.ts';
import type { LifecycleEvent } from '../process/lifecycle-event.ts';
import type { ProcessPlan } from '../process/process-plan.ts';
import type { ProcessService } from '../process/process-service.ts';
import type { ProcessKind } from '../process/process-view.ts';
import type { SupervisedProcess } from '../process/supervised-process.ts';

type SlotUser = Pick<ProcessPlan, 'id' | 'kind'>;

export interface AdmissionDeps {
  readonly limits: SupervisorInput;
  readonly clock: Clock;
  /** Observes the actor, and with it all actors below it. */
  readonly inspect: ((event: InspectionEvent) => void) | null;
  /** Called for a queued process when a slot is free. */
  readonly admit: (id: string) => void;
  readonly stopAll: (order: { readonly graceMs: number }) => void;
}

/** A request that the actor answers before `request` returns. */
interface OpenRequest {
  readonly id: string;
  isAdmitted: boolean;
  refusal: Refusal | null;
}

/** The supervisor's actor in terms of processes: remembers which slot each of them holds. */
export class Admission implements ProcessService {
  readonly actor: ActorRefFrom<typeof supervisorMachine>;
  readonly #deps: AdmissionDeps;
  readonly #slots = new Map<string, Slot>();
  readonly #queued = new Map<string, Slot>();
  #requesting: OpenRequest | null = null;
  #isStopping = false;
  #disarm: Cancel = () => {};

  constructor(deps: AdmissionDeps) {
    this.#deps = deps;
    this.actor = createActor(this.#provideEffects(), {
      id: 'supervisor',
      input: deps.limits,
      ...(deps.inspect && { inspect: deps.inspect }),
    }).start();
  }

  /**
   * Counts a process that is about to be created. It may start at once or waits in the queue for `admit`.
   *
   * @throws TroupeError `background-limit`, `shutting-down`
   */
  request({ id, kind, background }: SlotUser & { readonly background: boolean }): 'admitted' | 'queued' {
    const lane = toLane(kind);
    const request: OpenRequest = { id, isAdmitted: false, refusal: null };
    this.#requesting = request;
    this.#queued.set(id, { place: background ? 'background' : 'foreground', lane });
    // An actor that has ended does not receive the call, so it cannot refuse the process.
    if (this.#isClosed) request.refusal = 'shutting-down';
    else this.actor.send({ type: 'process.requested', id, lane, background });
    this.#requesting = null;
    if (request.refusal === null) return request.isAdmitted ? 'admitted' : 'queued';
    this.#queued.delete(id);
    throw toRefusalError(request.refusal, {
      max: this.#deps.limits.maxBackgroundProcesses,
      backgroundIds: this.backgroundIds(),
    });
  }

  /** Returns the slot, or leaves the queue. Leftovers hold no slot. */
  release({ id, kind }: SlotUser): void {
    const slot = this.#slots.get(id);
    if (this.#slots.delete(id) && slot !== undefined) this.#leave({ type: 'process.released', slot });
    else if (this.#queued.delete(id)) this.#leave({ type: 'process.withdrawn', id, lane: toLane(kind) });
  }

  on({ type }: LifecycleEvent, { plan, status, isRestored }: SupervisedProcess): void {
    switch (type) {
      case 'process.created':
        return isRestored ? this.#adopt(plan) : undefined;
      case 'process.promoted':
        return this.#promote(plan);
      case 'process.started':
        return status === 'backgrounded' ? this.#moveToBackground(plan) : undefined;
      case 'process.backgrounded':
        return this.#moveToBackground(plan);
      case 'process.detached':
      case 'process.ended':
      case 'leftovers.ended':
        return this.release(plan);
    }
  }

  /** Ids of the processes that count against `maxBackgroundProcesses`. */
  backgroundIds(): readonly string[] {
    return [...this.#slots].filter(([, { place }]) => place === 'background').map(([id]) => id);
  }

  /** Ids of the processes that hold the foreground slots for that kind, the longest holder first. */
  foregroundIds(kind: ProcessKind): readonly string[] {
    return [...this.#slots]
      .filter(([, { place, lane }]) => place === 'foreground' && lane === toLane(kind))
      .map(([id]) => id);
  }

  /** Orders all processes and the given leftovers to stop; resolves when they are gone, or after a time limit. */
  stop(withLeftovers: readonly SupervisedProcess[]): Promise<void> {
    return new Promise((resolve) => {
      // Counted from now on, so that this actor ends after theirs.
      for (const { plan } of withLeftovers) this.#adopt(plan);
      this.#isStopping = true;
      this.actor.subscribe({ complete: resolve });
      this.actor.send({ type: 'supervisor.stop' });
      if (this.actor.getSnapshot().status === 'done') resolve();
    });
  }

  get #isClosed(): boolean {
    return this.actor.getSnapshot().status !== 'active';
  }

  #provideEffects(): typeof supervisorMachine {
    const { clock, stopAll } = this.#deps;
    return supervisorMachine.provide({
      actions: {
        admit: (_, { id }) => this.#admit(id),
        refuse: (_, { refusal }) => {
          if (this.#requesting !== null) this.#requesting.refusal = refusal;
        },
        stopEverything: (_, order) => stopAll(order),
        armShutdown: (_, { afterMs }) => {
          const reached = () => this.actor.send({ type: 'deadline.shutdown' });
          this.#disarm = clock.at(clock.nowMs() + afterMs, reached);
        },
        disarmShutdown: () => this.#disarm(),
      },
    });
  }

  #admit(id: string): void {
    const slot = this.#queued.get(id);
    this.#queued.delete(id);
    if (slot !== undefined) this.#slots.set(id, slot);
    if (this.#requesting?.id === id) this.#requesting.isAdmitted = true;
    else this.#deps.admit(id);
  }

  /** Counts a process that an earlier supervisor started, beyond the limit if necessary. */
  #adopt({ id, kind }: SlotUser): void {
    this.#slots.set(id, { place: 'background', lane: toLane(kind) });
    this.actor.send({ type: 'process.adopted' });
  }

  #moveToBackground({ id, kind }: SlotUser): void {
    if (this.#isClosed || this.#slots.get(id)?.place !== 'foreground') return;
    const lane = toLane(kind);
    this.#slots.set(id, { place: 'background', lane });
    this.actor.send({ type: 'process.backgrounded', lane });
  }

  /** Counts a process that waited for a slot as a background process, beyond the limit if necessary. */
  #promote({ id, kind }: SlotUser): void {
    const lane = toLane(kind);
    if (!this.#queued.delete(id)) return;
    this.#slots.set(id, { place: 'background', lane });
    this.actor.send({ type: 'process.promoted', id, lane });
  }

  #leave(event: SupervisorEvent): void {
    const send = () => {
      if (!this.#isClosed) this.actor.send(event);
    };
    // The last release ends this actor, but the actor of the process must still report its end to it.
    if (this.#isStopping) queueMicrotask(send);
    else send();
  }
}

function toLane(kind: ProcessKind): Lane {
  return kind === 'agent' ? 'agent' : 'tool';
}

/** Ids that a refusal lists; more would hide what to do. */
const SHOWN_IDS = 20;

/** Returns the error for a refused start. */
function toRefusalError(
  refusal: Refusal,
  { max, backgroundIds }: { readonly max: number; readonly backgroundIds: readonly string[] },
): TroupeError {
  if (refusal === 'shutting-down') {
    const message = 'The supervisor is shutting down and starts no more processes. Create another one.';
    return new TroupeError({ code: refusal, message });
  }
  const shown = backgroundIds.slice(0, SHOWN_IDS).join(', ');
  const more = backgroundIds.length > SHOWN_IDS ? ` and ${backgroundIds.length - SHOWN_IDS} more` : '';
  const message =
    `Maximum background processes (${max}) reached${shown === '' ? '' : `: ${shown}${more}`}. ` +
    'End one of them with kill(id), run this in the foreground, or raise the option "maxBackgroundProcesses" ' +
    '(max_background_processes in an agent file, --max-background of troupe mcp).';
  return new TroupeError({ code: refusal, message });
}
