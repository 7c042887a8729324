import { type Diagram, isWithin } from './diagram.ts';

/** Returns one compound state with its content, as a chart of its own. Targets outside are names in its boxes. */
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
