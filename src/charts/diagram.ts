/** Kind of a state, as XState has it. */
export type DiagramStateKind = 'atomic' | 'compound' | 'parallel' | 'final' | 'history';

export interface DiagramState {
  /** The path from the root, `running.up`; empty for the root itself. */
  readonly id: string;
  /** Id of the parent state; `null` for the root and for states outside it. */
  readonly parent: string | null;
  readonly name: string;
  readonly kind: DiagramStateKind;
  readonly description: string;
  readonly entry: readonly string[];
  readonly exit: readonly string[];
  /** Names of the actors that live as long as the state. */
  readonly invokes: readonly string[];
  /** The id of the child that is entered first. */
  readonly initial: string | null;
}

/** Transition as plain JSON. One with several targets is listed once for each of them. */
export interface DiagramTransition {
  /** Unique in its chart, and the same for each diagram of the same machine: `t12`. */
  readonly id: string;
  readonly source: string;
  /** Id of the target; `null`: the state is neither left nor entered. */
  readonly target: string | null;
  /** Event that triggers it; `null`: taken at once, without an event. */
  readonly event: string | null;
  /** Type of that event as the machine receives it, such as `xstate.error.actor.runner`; empty without an event. */
  readonly eventType: string;
  readonly guard: string | null;
  readonly actions: readonly string[];
  readonly description: string;
}

/** A statechart as plain data for drawing. States are in document order, parents before children. */
export interface Diagram {
  readonly name: string;
  readonly description: string;
  readonly states: readonly DiagramState[];
  readonly transitions: readonly DiagramTransition[];
}

/** Returns the direct children of a state, in document order. */
export function childrenOf(diagram: Diagram, parent: string): readonly DiagramState[] {
  return diagram.states.filter((state) => state.parent === parent);
}

/** Tells whether a state is `ancestor` or lies inside it. All states lie inside the root. */
export function isWithin(id: string, ancestor: string): boolean {
  return ancestor === '' || id === ancestor || id.startsWith(`${ancestor}.`);
}

/** Returns the transitions of a state without a target. */
export function innerTransitionsOf(diagram: Diagram, source: string): readonly DiagramTransition[] {
  return diagram.transitions.filter(
    (transition) => transition.source === source && transition.target === null,
  );
}

/** Tells whether a transition leads from a compound state to one of its descendants: it can be taken in any of them. */
export function isFromAnywhere({ source, target }: DiagramTransition): boolean {
  return target !== null && target !== source && isWithin(target, source);
}

/** Tells whether a state has a transition to one of its descendants. */
export function hasAnywhere(diagram: Diagram, id: string): boolean {
  return diagram.transitions.some((transition) => transition.source === id && isFromAnywhere(transition));
}

/** Returns the chart of one compound state and its content. Boxes name the targets of transitions that leave it. */
export function toPart(diagram: Diagram, id: string): Diagram {
  if (id === '') return diagram;
  const inside = diagram.states.filter((state) => isWithin(state.id, id));
  const [top] = inside;
  if (top === undefined) throw new Error(`id must be a state of "${diagram.name}", got "${id}"`);
  return {
    name: `${diagram.name}.${id}`,
    description: top.description,
    states: inside.map((state) => (state.id === id ? { ...state, parent: null } : state)),
    transitions: diagram.transitions.filter(({ source }) => source !== '' && isWithin(source, id)),
  };
}
