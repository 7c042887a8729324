import { type ActorRefFrom, createActor } from 'xstate';
import type { Lane, SupervisorInput } from '../../machines/supervisor/context.ts';
import type { Refusal, Slot, SupervisorEvent } from '../../machines/supervisor/events.ts';
import { supervisorMachine } from '../../machines/supervisor/machine.ts';
import type { Cancel, Clock } from '../clock/clock.ts';
import type { ProcessKind } from '../process/process-view.ts';

/** The supervisor's actor, spoken to in terms of processes: it remembers which slot each of them was given. */
export interface Admission {
  readonly actor: ActorRefFrom<typeof supervisorMachine>;
  /** Asks for a start. It is admitted now or later, or refused now, and then the reason is given. */
  request(process: { id: string; kind: ProcessKind; background: boolean }): Refusal | null;
  /** It was running before this supervisor came: it counts, beyond the limit if need be. */
  adopted(process: { id: string; kind: ProcessKind }): void;
  /** It is in the background now. */
  backgrounded(process: { id: string; kind: ProcessKind }): void;
  /** It waited for a slot and starts in the background instead: it counts, beyond the limit if need be. */
  promoted(process: { id: string; kind: ProcessKind }): void;
  /** It has ended; or it does not want to start any more. What it left behind holds no slot. */
  released(process: { id: string; kind: ProcessKind }): void;
  /** Who counts against `maxBackgroundProcesses`. */
  backgroundIds(): readonly string[];
  /** Who holds the foreground slots for processes of that kind; the longest holder first. */
  foregroundIds(kind: ProcessKind): readonly string[];
  /** Orders everything to stop; resolves when everything has, or when it took too long. */
  stop(): Promise<void>;
}

export function createAdmission(options: {
  limits: SupervisorInput;
  clock: Clock;
  admit: (id: string) => void;
  stopEverything: (order: { graceMs: number }) => void;
}): Admission {
  const { clock } = options;
  const slots = new Map<string, Slot>();
  let refused: Refusal | null = null;
  let isStopping = false;
  const queued = new Map<string, Slot>();
  let disarm: Cancel = () => {};

  const admit = (id: string) => {
    const slot = queued.get(id);
    queued.delete(id);
    if (slot !== undefined) slots.set(id, slot);
    options.admit(id);
  };

  const actor = createActor(
    supervisorMachine.provide({
      actions: {
        admit: (_, { id }) => admit(id),
        refuse: (_, { refusal }) => {
          refused = refusal;
        },
        stopEverything: (_, order) => options.stopEverything(order),
        armShutdown: (_, { afterMs }) => {
          disarm = clock.at(clock.nowMs() + afterMs, () => actor.send({ type: 'deadline.shutdown' }));
        },
        disarmShutdown: () => disarm(),
      },
    }),
    { input: options.limits },
  ).start();

  const isClosed = () => actor.getSnapshot().status !== 'active';

  const leave = (event: SupervisorEvent) => {
    const send = () => {
      if (!isClosed()) actor.send(event);
    };
    // The last one to leave ends this actor, and the process's own one still has its end to report to it.
    if (isStopping) queueMicrotask(send);
    else send();
  };

  return {
    actor,
    request: ({ id, kind, background }) => {
      // An actor that has ended hears nothing, not even to refuse it.
      if (isClosed()) return 'shutting-down';
      const lane = toLane(kind);
      const slot: Slot = { place: background ? 'background' : 'foreground', lane };
      refused = null;
      queued.set(id, slot);
      actor.send({ type: 'process.requested', id, lane, background });
      if (refused !== null) queued.delete(id);
      return refused;
    },
    adopted: ({ id, kind }) => {
      slots.set(id, { place: 'background', lane: toLane(kind) });
      actor.send({ type: 'process.adopted' });
    },
    backgrounded: ({ id, kind }) => {
      if (isClosed() || slots.get(id)?.place !== 'foreground') return;
      const lane = toLane(kind);
      slots.set(id, { place: 'background', lane });
      actor.send({ type: 'process.backgrounded', lane });
    },
    promoted: ({ id, kind }) => {
      const lane = toLane(kind);
      if (!queued.delete(id)) return;
      slots.set(id, { place: 'background', lane });
      actor.send({ type: 'process.promoted', id, lane });
    },
    released: ({ id, kind }) => {
      const slot = slots.get(id);
      if (slots.delete(id) && slot !== undefined) leave({ type: 'process.released', slot });
      else if (queued.delete(id)) leave({ type: 'process.withdrawn', id, lane: toLane(kind) });
    },
    backgroundIds: () => [...slots].filter(([, { place }]) => place === 'background').map(([id]) => id),
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
