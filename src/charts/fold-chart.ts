import { childrenOf, type Diagram, type DiagramTransition, isWithin } from './diagram.ts';

/**
 * Folds every compound state into one box, except those with an id in `open`. Transitions between the boxes are kept, each once; those out of a
 * folded state leave their actions to the state's own picture.
 */
export function foldChart(diagram: Diagram, open: readonly string[] = []): Diagram {
  const isOpen = (id: string) => id === '' || open.includes(id);
  const folded = diagram.states.filter(({ id }) => !isOpen(id) && childrenOf(diagram, id).length > 0);
  const visible = (id: string) => {
    const around = folded.filter((state) => isWithin(id, state.id)).map((state) => state.id);
    return around.toSorted((a, b) => a.length - b.length)[0] ?? id;
  };
  const lift = (transition: DiagramTransition): readonly DiagramTransition[] => {
    const source = visible(transition.source);
    const target = transition.target === null ? null : visible(transition.target);
    const isFolded = folded.some(({ id }) => id === source);
    if (isFolded && (target === null || target === source)) return [];
    return [{ ...transition, source, target, actions: isFolded ? [] : transition.actions }];
  };
  return {
    ...diagram,
    states: diagram.states
      .filter(({ id }) => visible(id) === id)
      .map((state) =>
        folded.includes(state) ? { ...state, kind: 'folded', entry: [], exit: [], initial: null } : state,
      ),
    transitions: once(diagram.transitions.flatMap(lift)),
  };
}

function once(transitions: readonly DiagramTransition[]): readonly DiagramTransition[] {
  return [...new Map(transitions.map((transition) => [JSON.stringify(transition), transition])).values()];
}
