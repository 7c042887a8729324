import {
  childrenOf,
  type Diagram,
  type DiagramTransition,
  isWithin,
} from '../../../src/cli/verbs/graph/diagram.ts';

/**
 * Draws a chart with every compound state folded into one box. Transitions between the boxes are kept, each once; those out of a
 * folded state leave their actions to the state's own picture.
 */
export function toOverview(diagram: Diagram): Diagram {
  const isNested = (id: string) => childrenOf(diagram, id).length > 0;
  const outer = childrenOf(diagram, '');
  const outermost = (id: string) => outer.find((state) => isWithin(id, state.id))?.id ?? '';

  const lift = (transition: DiagramTransition): readonly DiagramTransition[] => {
    const source = outermost(transition.source);
    const target = transition.target === null ? null : outermost(transition.target);
    const folded = source !== '' && isNested(source);
    if (folded && (target === null || target === source)) return [];
    return [{ ...transition, source, target, actions: folded ? [] : transition.actions }];
  };

  return {
    ...diagram,
    states: diagram.states
      .filter(({ id, parent }) => id === '' || parent === '')
      .map((state) =>
        state.id !== '' && isNested(state.id)
          ? { ...state, kind: 'folded', entry: [], exit: [], initial: null }
          : state,
      ),
    transitions: once(diagram.transitions.flatMap(lift)),
  };
}

function once(transitions: readonly DiagramTransition[]): readonly DiagramTransition[] {
  return [...new Map(transitions.map((transition) => [JSON.stringify(transition), transition])).values()];
}
