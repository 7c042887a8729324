import { type ActorRefFrom, createActor } from 'xstate';
import type { Lane, SupervisorInput } from '../../machines/supervisor/context.ts';
import type { Refusal, Slot, SupervisorEvent } from '../../machines/supervisor/events.ts';
import { supervisorMachine } from '../../machines/supervisor/machine.ts';
import type { Cancel, Clock } from '../clock/clock.ts';
import { TroupeError } from '../config/troupe-error.ts';
import type { ProcessPlan } from '../process/process-plan.ts';
import type { ProcessService } from '../process/process-service.ts';
import type { ProcessKind } from '../process/process-view.ts';

/** The supervisor's actor in terms of processes: remembers which slot each of them holds. */
export interface Admission extends ProcessService {
  readonly actor: ActorRefFrom<typeof supervisorMachine>;
  /**
   * Counts a process that is about to be created. It may start at once or waits in the queue for `admit`.
   *
   * @throws TroupeError `background-limit`, `shutting-down`
   */
  request(process: SlotUser & { readonly background: boolean }): 'admitted' | 'queued';
  /** Returns the slot, or leaves the queue. Leftovers hold no slot. */
  release(process: SlotUser): void;
  /** Ids of the processes that count against `maxBackgroundProcesses`. */
  backgroundIds(): readonly string[];
  /** Ids of the processes that hold the foreground slots for that kind, the longest holder first. */
  foregroundIds(kind: ProcessKind): readonly string[];
  /** Orders all processes to stop; resolves when they have stopped, or after a time limit. */
  stop(): Promise<void>;
}

type SlotUser = Pick<ProcessPlan, 'id' | 'kind'>;

export function createAdmission({
  limits,
  clock,
  ...options
}: {
  readonly limits: SupervisorInput;
  readonly clock: Clock;
  /** Called for a queued process when a slot is free. */
  readonly admit: (id: string) => void;
  readonly stopAll: (order: { readonly graceMs: number }) => void;
}): Admission {
  const slots = new Map<string, Slot>();
  const queued = new Map<string, Slot>();
  let requesting: { readonly id: string; isAdmitted: boolean; refusal: Refusal | null } | null = null;
  let isStopping = false;
  let disarm: Cancel = () => {};

  const admit = (id: string) => {
    const slot = queued.get(id);
    queued.delete(id);
    if (slot !== undefined) slots.set(id, slot);
    if (requesting?.id === id) requesting.isAdmitted = true;
    else options.admit(id);
  };

  const actor = createActor(
    supervisorMachine.provide({
      actions: {
        admit: (_, { id }) => admit(id),
        refuse: (_, { refusal }) => {
          if (requesting !== null) requesting.refusal = refusal;
        },
        stopEverything: (_, order) => options.stopAll(order),
        armShutdown: (_, { afterMs }) => {
          disarm = clock.at(clock.nowMs() + afterMs, () => actor.send({ type: 'deadline.shutdown' }));
        },
        disarmShutdown: () => disarm(),
      },
    }),
    { input: limits },
  ).start();

  const isClosed = () => actor.getSnapshot().status !== 'active';
  const backgroundIds = () => [...slots].filter(([, { place }]) => place === 'background').map(([id]) => id);

  const request: Admission['request'] = ({ id, kind, background }) => {
    const lane = toLane(kind);
    const call: NonNullable<typeof requesting> = { id, isAdmitted: false, refusal: null };
    requesting = call;
    queued.set(id, { place: background ? 'background' : 'foreground', lane });
    // An actor that has ended does not receive the call, so it cannot refuse the process.
    if (isClosed()) call.refusal = 'shutting-down';
    else actor.send({ type: 'process.requested', id, lane, background });
    requesting = null;
    if (call.refusal === null) return call.isAdmitted ? 'admitted' : 'queued';
    queued.delete(id);
    throw toRefusalError(call.refusal, {
      max: limits.maxBackgroundProcesses,
      backgroundIds: backgroundIds(),
    });
  };

  /** Counts a process that an earlier supervisor started, beyond the limit if necessary. */
  const adopt = ({ id, kind }: SlotUser) => {
    slots.set(id, { place: 'background', lane: toLane(kind) });
    actor.send({ type: 'process.adopted' });
  };

  const moveToBackground = ({ id, kind }: SlotUser) => {
    if (isClosed() || slots.get(id)?.place !== 'foreground') return;
    const lane = toLane(kind);
    slots.set(id, { place: 'background', lane });
    actor.send({ type: 'process.backgrounded', lane });
  };

  /** Counts a process that waited for a slot as a background process, beyond the limit if necessary. */
  const promote = ({ id, kind }: SlotUser) => {
    const lane = toLane(kind);
    if (!queued.delete(id)) return;
    slots.set(id, { place: 'background', lane });
    actor.send({ type: 'process.promoted', id, lane });
  };

  const release = ({ id, kind }: SlotUser) => {
    const slot = slots.get(id);
    if (slots.delete(id) && slot !== undefined) leave({ type: 'process.released', slot });
    else if (queued.delete(id)) leave({ type: 'process.withdrawn', id, lane: toLane(kind) });
  };

  const leave = (event: SupervisorEvent) => {
    const send = () => {
      if (!isClosed()) actor.send(event);
    };
    // The last release ends this actor, but the actor of the process must still report its end to it.
    if (isStopping) queueMicrotask(send);
    else send();
  };

  return {
    actor,
    request,
    release,
    on: ({ type }, { plan, status, isRestored }) => {
      switch (type) {
        case 'process.created':
          return isRestored ? adopt(plan) : undefined;
        case 'process.promoted':
          return promote(plan);
        case 'process.started':
          return status === 'backgrounded' ? moveToBackground(plan) : undefined;
        case 'process.backgrounded':
          return moveToBackground(plan);
        case 'process.detached':
        case 'process.ended':
          return release(plan);
      }
    },
    backgroundIds,
    foregroundIds: (kind) =>
      [...slots]
        .filter(([, { place, lane }]) => place === 'foreground' && lane === toLane(kind))
        .map(([id]) => id),
    stop: () =>
      new Promise((resolve) => {
        isStopping = true;
        actor.subscribe({ complete: resolve });
        actor.send({ type: 'supervisor.stop' });
        if (actor.getSnapshot().status === 'done') resolve();
      }),
  };
}

function toLane(kind: ProcessKind): Lane {
  return kind === 'agent' ? 'agent' : 'tool';
}

/** Returns the error for a refused start. */
function toRefusalError(
  refusal: Refusal,
  { max, backgroundIds }: { readonly max: number; readonly backgroundIds: readonly string[] },
): TroupeError {
  if (refusal === 'shutting-down') {
    const message = 'The supervisor is shutting down: nothing is started any more. Create another one.';
    return new TroupeError({ code: refusal, message });
  }
  const message =
    `Maximum background processes (${max}) reached: ${backgroundIds.join(', ')}. ` +
    'End one of them with kill(id), run this in the foreground, or raise the option "maxBackgroundProcesses" ' +
    '(max_background_processes in an agent file, --max-background of troupe mcp).';
  return new TroupeError({ code: refusal, message });
}
