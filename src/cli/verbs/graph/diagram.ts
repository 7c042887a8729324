/**
 * What stands behind a state: `folded` is a compound state drawn as one box, `elsewhere` a state that belongs to
 * another picture.
 */
type DiagramStateKind = 'atomic' | 'compound' | 'parallel' | 'final' | 'history' | 'folded' | 'elsewhere';

export interface DiagramState {
  /** The path from the root, `running.up`; empty for the root itself. */
  readonly id: string;
  /** `null` for the root and for what stands outside everything. */
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

export interface DiagramTransition {
  readonly source: string;
  /** `null` stays where it is: the state is neither left nor entered. */
  readonly target: string | null;
  /** `null` is taken at once, without an event. */
  readonly event: string | null;
  readonly guard: string | null;
  readonly actions: readonly string[];
  readonly description: string;
}

/** A statechart as plain data, ready to be drawn. States stand in document order, parents before children. */
export interface Diagram {
  readonly name: string;
  readonly description: string;
  readonly states: readonly DiagramState[];
  readonly transitions: readonly DiagramTransition[];
}

/** The direct children of a state, in document order. */
export function childrenOf(diagram: Diagram, parent: string): readonly DiagramState[] {
  return diagram.states.filter((state) => state.parent === parent);
}

/** Whether `id` is `ancestor` or lies inside it. Everything lies inside the root. */
export function isWithin(id: string, ancestor: string): boolean {
  return ancestor === '' || id === ancestor || id.startsWith(`${ancestor}.`);
}

/** The transitions of a state that leave it where it is. */
export function innerTransitionsOf(diagram: Diagram, source: string): readonly DiagramTransition[] {
  return diagram.transitions.filter(
    (transition) => transition.source === source && transition.target === null,
  );
}

/** A transition from a compound state into its own inside: it may be taken wherever in it the chart stands. */
export function isFromAnywhere({ source, target }: DiagramTransition): boolean {
  return target !== null && target !== source && isWithin(target, source);
}

/** Whether some transition leads from a state as a whole into its own inside. */
export function hasAnywhere(diagram: Diagram, id: string): boolean {
  return diagram.transitions.some((transition) => transition.source === id && isFromAnywhere(transition));
}
