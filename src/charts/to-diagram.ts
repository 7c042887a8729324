import type { AnyStateMachine, AnyStateNode } from 'xstate';
import type { Diagram, DiagramState, DiagramTransition } from './diagram.ts';
import { toActionLabel, toEventLabel, toGuardLabel } from './labels.ts';

type Unnumbered = Omit<DiagramTransition, 'id'>;
type Transition = NonNullable<AnyStateNode['always']>[number];

/** Returns all states and transitions of a machine, those without an event included. */
export function toDiagram(machine: AnyStateMachine): Diagram {
  const nodes = flatten(machine.root);
  return {
    name: machine.id,
    description: machine.root.description ?? '',
    states: nodes.map(toState),
    transitions: nodes
      .flatMap(transitionsOf)
      .map((transition, index) => ({ id: `t${index}`, ...transition })),
  };
}

function flatten(node: AnyStateNode): readonly AnyStateNode[] {
  return [node, ...Object.values(node.states).flatMap(flatten)];
}

function toState(node: AnyStateNode): DiagramState {
  const initial = node.type === 'compound' ? node.initial.target?.[0] : undefined;
  return {
    id: idOf(node),
    parent: node.parent === undefined ? null : idOf(node.parent),
    name: node.key,
    kind: node.type,
    description: node.description ?? '',
    entry: node.entry.map((action) => toActionLabel(action, 'xstate.init')),
    exit: node.exit.map((action) => toActionLabel(action, 'xstate.init')),
    invokes: node.invoke.map(({ src }) => (typeof src === 'string' ? src : 'unnamed')),
    initial: initial === undefined ? null : idOf(initial),
  };
}

function transitionsOf(node: AnyStateNode): readonly Unnumbered[] {
  return [node.always ?? [], ...node.transitions.values()].flatMap((choices) =>
    choices.flatMap(toTransitions),
  );
}

/** Draws a transition into several regions once for each. The last of several choices is guarded by `else`. */
function toTransitions(transition: Transition, index: number): readonly Unnumbered[] {
  const { source, target, eventType, guard, actions, description } = transition;
  const withoutTarget = {
    source: idOf(source),
    event: eventType === '' ? null : toEventLabel(eventType),
    eventType,
    guard: toGuardLabel(guard) ?? (index > 0 ? 'else' : null),
    actions: actions.map((action) => toActionLabel(action, eventType)),
    description: description ?? '',
  };
  if (target === undefined) return [{ ...withoutTarget, target: null }];
  return target.map((node) => ({ ...withoutTarget, target: idOf(node) }));
}

function idOf(node: AnyStateNode): string {
  return node.path.join('.');
}
