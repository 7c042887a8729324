import { processMachine } from '../../../machines/process/machine.ts';
import { childrenOf, type Diagram, type DiagramTransition, isWithin, toPart } from '../../charts/diagram.ts';
import { drawChart } from '../../charts/draw-chart.ts';
import { layOutChart } from '../../charts/lay-out-chart.ts';
import { drawLife } from '../../charts/life-chart.ts';
import { toDiagram } from '../../charts/to-diagram.ts';

const diagram = toDiagram(processMachine);
const drawn = new Map<string, string>();

/** Draws the ten states of a process. */
export function drawProcess(): string {
  return keep('', () => drawLife(diagram));
}

/** Draws the states inside of one; `null` where there are none. */
export function drawInside(state: string): string | null {
  if (childrenOf(diagram, state).length === 0) return null;
  return keep(state, () => drawChart(layOutChart(toPart(diagram, state)), { id: 'inside' }));
}

/** Draws a machine of the user. */
export function drawMachine(chart: Diagram): string {
  return keep(`machine ${JSON.stringify(chart)}`, () => drawChart(layOutChart(chart), { id: 'machine' }));
}

/** Returns the transitions out of a state and of the states inside it; `from` is the inner state. */
export function listNext(
  state: string,
): readonly (DiagramTransition & { readonly from: string; readonly key: string })[] {
  return diagram.transitions
    .filter(({ source, target }) => isWithin(source, state) && (target === null || !isWithin(target, state)))
    .map((transition, index) => ({
      ...transition,
      from: transition.source.slice(state.length + 1),
      key: `${index} ${transition.source} ${transition.event} ${transition.guard}`,
    }));
}

function keep(name: string, draw: () => string): string {
  const known = drawn.get(name) ?? draw();
  drawn.set(name, known);
  return known;
}
