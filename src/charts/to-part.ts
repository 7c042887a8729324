import { type Diagram, isWithin } from './diagram.ts';

/** Returns one compound state with its content, as a chart of its own. Targets outside are names in its labels. */
export function toPart(diagram: Diagram, id: string): Diagram {
  if (id === '') return diagram;
  const inside = diagram.states.filter((state) => isWithin(state.id, id));
  if (inside.length === 0) throw new Error(`id must be a state of "${diagram.name}", got "${id}"`);
  const [root] = diagram.states;
  const states = inside.map((state) => (state.id === id ? { ...state, parent: '' } : state));
  return {
    ...{ name: `${diagram.name}.${id}`, description: '' },
    states: [
      ...(root === undefined ? [] : [{ ...root, entry: [], exit: [], invokes: [], initial: null }]),
      ...states,
    ],
    transitions: diagram.transitions.filter(({ source }) => isWithin(source, id) && source !== ''),
  };
}
