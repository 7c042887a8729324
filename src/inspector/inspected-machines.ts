import type { AnyActorRef, AnyMachineSnapshot, AnyStateMachine, AnyStateNode, InspectionEvent } from 'xstate';
import { type TakenTransition, takenIn, toGuardLabels } from '../charts/labels.ts';
import { toDiagram } from '../charts/to-diagram.ts';
import type { MachineStep, MachineView } from '../live/machine-view.ts';

/** Steps that are kept of each machine. */
const MAX_STEPS = 200;
/** Machines that are kept; beyond it the oldest one that has ended is forgotten. */
const MAX_MACHINES = 200;

/** Machines of the program around the inspector, as its actor systems report them. */
export interface InspectedMachines {
  /** Machines by id; another record after each change. */
  readonly record: Readonly<Record<string, MachineView>>;
  /** Observer for the option `inspect` of `createActor`. */
  readonly inspect: (event: InspectionEvent) => void;
}

export function createInspectedMachines(onChange: () => void): InspectedMachines {
  let record: Readonly<Record<string, MachineView>> = {};
  /** Microsteps since the last snapshot of each machine: a step shows all transitions of its event. */
  const taken = new Map<string, TakenTransition[]>();

  const register = (actor: AnyActorRef, machine: AnyStateMachine): MachineView => {
    const { sessionId: id } = actor;
    return record[id] ?? { id, name: actor.id, chart: toDiagram(machine), status: 'active', path: [] };
  };
  const set = (view: MachineView) => {
    record = dropOldest({ ...record, [view.id]: view });
    onChange();
  };
  return {
    get record() {
      return record;
    },
    inspect: (event) => {
      const actor = event.actorRef as AnyActorRef & { readonly logic?: unknown };
      if (!isMachine(actor.logic)) return;
      const view = register(actor, actor.logic);
      if (event.type === '@xstate.microstep') {
        taken.set(view.id, [...(taken.get(view.id) ?? []), ...takenIn(event)]);
      }
      if (event.type !== '@xstate.snapshot') return;
      const snapshot = event.snapshot as AnyMachineSnapshot;
      const step = toStep(event.event.type, { snapshot, transitions: taken.get(view.id) ?? [] });
      taken.delete(view.id);
      set({ ...view, status: snapshot.status, path: [...view.path, step].slice(-MAX_STEPS) });
    },
  };
}

/** Recognizes a machine by its form: the program may have another copy of XState. */
function isMachine(logic: unknown): logic is AnyStateMachine {
  return (
    typeof logic === 'object' && logic !== null && 'root' in logic && 'states' in logic && 'events' in logic
  );
}

function toStep(
  event: string,
  {
    snapshot,
    transitions,
  }: { readonly snapshot: AnyMachineSnapshot; readonly transitions: readonly TakenTransition[] },
): MachineStep {
  const nodes = snapshot._nodes as readonly AnyStateNode[];
  const isInner = (node: AnyStateNode) => !nodes.some((other) => other.parent === node);
  return {
    at: Date.now(),
    event: event.startsWith('xstate.init') ? 'start' : event,
    guards: toGuardLabels(transitions),
    transitions: transitions.map(
      ({ source, target }) => `${toPath(source)} -> ${target?.map(toPath).join(', ') ?? ''}`,
    ),
    states: nodes.filter(isInner).map(toPath),
  };
}

function toPath(node: AnyStateNode): string {
  return node.path.join('.');
}

function dropOldest(record: Readonly<Record<string, MachineView>>): Readonly<Record<string, MachineView>> {
  const views = Object.values(record);
  if (views.length <= MAX_MACHINES) return record;
  const oldest = views.find(({ status }) => status !== 'active') ?? views[0];
  return Object.fromEntries(Object.entries(record).filter(([id]) => id !== oldest?.id));
}
