import { type Diagram, type DiagramState, isWithin } from '../../../src/cli/verbs/graph/diagram.ts';

/**
 * Draws one compound state with its content, and the targets of its transitions as `elsewhere`. Of incoming transitions only
 * those past the initial state are kept.
 */
export function toPart(diagram: Diagram, id: string): Diagram {
  const inside = diagram.states.filter((state) => isWithin(state.id, id));
  const [top] = inside;
  if (top === undefined) throw new Error(`id must be a state of "${diagram.name}", got "${id}"`);
  const isInside = (other: string | null) => other !== null && isWithin(other, id);

  const outgoing = diagram.transitions.filter(({ source }) => isInside(source));
  const incoming = diagram.transitions
    .filter(({ source, target }) => source !== '' && !isInside(source) && isInside(target) && target !== id)
    .map((transition) => ({ ...transition, actions: [] }));
  const outside = new Set(
    [...outgoing.map(({ target }) => target), ...incoming.map(({ source }) => source)].filter(
      (other) => other !== null && !isInside(other),
    ),
  );

  return {
    name: `${diagram.name}.${id}`,
    description: '',
    states: [
      { ...toElsewhere(top), id: '', parent: null, name: diagram.name, kind: 'compound' },
      ...inside.map((state) => (state === top ? { ...top, parent: '' } : state)),
      ...diagram.states.filter((state) => outside.has(state.id)).map(toElsewhere),
    ],
    transitions: [...incoming, ...outgoing],
  };
}

function toElsewhere(state: DiagramState): DiagramState {
  return {
    ...state,
    parent: '',
    name: state.id,
    kind: state.kind === 'final' ? 'final' : 'elsewhere',
    description: '',
    entry: [],
    exit: [],
    invokes: [],
    initial: null,
  };
}
