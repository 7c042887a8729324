import type { Diagram } from '../../src/charts/diagram.ts';
import { drawChart } from '../../src/charts/draw-chart.ts';
import { layOutChart } from '../../src/charts/lay-out-chart.ts';
import { renderLife } from '../../src/charts/life-chart.ts';
import { listMachines } from '../../src/charts/list-machines.ts';
import { toMermaid } from '../../src/cli/verbs/graph/to-mermaid.ts';
import { toGuide } from './drawing/to-guide.ts';

/** Renders every file of this folder that is made from the machines, by name. */
export function renderStatecharts(): ReadonlyMap<string, string> {
  const diagrams = listMachines();
  const files = new Map<string, string>();
  for (const diagram of diagrams) {
    files.set(`${diagram.name}.mmd`, toMermaid(diagram));
    files.set(`${diagram.name}.svg`, drawChart(layOutChart(diagram)));
  }
  for (const diagram of diagrams.filter(({ name }) => name === 'process'))
    for (const [name, text] of renderLife(diagram)) files.set(name, text);
  return files.set('README.md', toIndex(diagrams));
}

function toIndex(diagrams: readonly Diagram[]): string {
  return [
    '# Statecharts',
    '',
    'Drawn from `machines/` by `npm run graph`; change the machine, never these files. Every label reads `event [guard] / action`.',
    'A label without an event is taken at once; `[else]` is what remains when no guard before it holds. A double border is an end, a',
    'dashed border has regions that are active together. A line in a box that begins with `on` is an event that does not leave the',
    'state; an arrow that begins at the rule below it can be taken anywhere inside.',
    '',
    ...diagrams.flatMap(toSection),
  ].join('\n');
}

function toSection(diagram: Diagram): readonly string[] {
  return [
    `## ${diagram.name}`,
    '',
    `${diagram.description} The whole chart as text: [${diagram.name}.mmd](${diagram.name}.mmd).`,
    '',
    ...(diagram.name === 'process' ? ['![The ten states of a process in plain words](life.svg)', ''] : []),
    `![The statechart ${diagram.name}](${diagram.name}.svg)`,
    '',
    `### ${diagram.name} in words`,
    '',
    toGuide(diagram),
  ];
}
