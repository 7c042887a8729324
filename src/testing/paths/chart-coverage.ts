import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition, InspectionEvent } from 'xstate';
import { getStateNodes } from 'xstate/graph';

/** The visited and missing parts of a chart. */
export interface ChartCoverage {
  /** Records the steps of actors of this chart; for `inspect`. Other actors are ignored. */
  readonly inspect: (event: InspectionEvent) => void;
  readonly states: Walked;
  readonly transitions: Walked;
}

export interface Walked {
  readonly all: readonly string[];
  readonly walked: ReadonlySet<string>;
  readonly missing: readonly string[];
}

/** Counts visited states and transitions of `machine`, or of any copy of it with other effects. */
export function createChartCoverage(machine: AnyStateMachine): ChartCoverage {
  const nodes = [machine.root, ...getStateNodes(machine.root)];
  const states = createWalked(nodes.map(({ id }) => id));
  const transitions = createWalked(nodes.flatMap((node) => transitionsOf(node).map(toTransitionId)));
  return {
    inspect: (inspected) => {
      if (inspected.type !== '@xstate.microstep' && inspected.type !== '@xstate.snapshot') return;
      for (const id of toTransitionIds(inspected)) transitions.add(id);
      for (const { id } of nodesOf(inspected.snapshot)) states.add(id);
    },
    states,
    transitions,
  };
}

/**
 * Returns the transitions of one step in order, named by their source, their event, and their index among
 * alternatives.
 */
export function toTransitionIds(inspected: InspectionEvent): readonly string[] {
  if (inspected.type !== '@xstate.microstep') return [];
  return inspected._transitions.filter(({ source }) => source !== undefined).map(toTransitionId);
}

function transitionsOf(node: AnyStateNode): readonly AnyTransitionDefinition[] {
  return [...[...node.transitions.values()].flat(), ...(node.always ?? [])];
}

function toTransitionId(transition: AnyTransitionDefinition): string {
  const { source, eventType } = transition;
  const alternatives = source.transitions.get(eventType) ?? source.always ?? [];
  return `${source.id} · ${eventType === '' ? 'always' : eventType} · ${alternatives.indexOf(transition)}`;
}

function nodesOf(snapshot: unknown): readonly AnyStateNode[] {
  return (snapshot as { readonly _nodes?: readonly AnyStateNode[] })._nodes ?? [];
}

function createWalked(all: readonly string[]): Walked & { add(id: string): void } {
  const known = new Set(all);
  const walked = new Set<string>();
  return {
    all,
    walked,
    get missing() {
      return all.filter((id) => !walked.has(id));
    },
    add: (id) => {
      if (known.has(id)) walked.add(id);
    },
  };
}
