import { childrenOf, type Diagram } from '../../src/charts/diagram.ts';
import { drawChart } from '../../src/charts/draw-chart.ts';
import { foldChart } from '../../src/charts/fold-chart.ts';
import { layOutChart } from '../../src/charts/lay-out-chart.ts';
import { renderLife } from '../../src/charts/life-chart.ts';
import { listMachines } from '../../src/charts/list-machines.ts';
import { toPart } from '../../src/charts/to-part.ts';
import { toMermaid } from '../../src/cli/verbs/graph/to-mermaid.ts';
import { toGuide } from './drawing/to-guide.ts';

/** Maximum width of a picture in pixels, at which its text is readable in a column of 830: a wider chart is drawn in parts. */
const MAX_WIDTH = 905;

/** Renders every file of this folder that is made from the machines, by name. */
export function renderStatecharts(): ReadonlyMap<string, string> {
  const diagrams = listMachines();
  const files = new Map<string, string>();
  for (const diagram of diagrams) {
    files.set(`${diagram.name}.mmd`, toMermaid(diagram));
    for (const picture of toPictures(diagram))
      files.set(`${picture.name}.svg`, drawChart(layOutChart(picture)));
  }
  for (const diagram of diagrams.filter(({ name }) => name === 'process'))
    for (const [name, text] of renderLife(diagram)) files.set(name, text);
  return files.set('README.md', toIndex(diagrams));
}

/**
 * Returns the chart in one picture, or where that is too wide an overview with its compound states folded, and a picture for each of them. The
 * overview of a process is the one in plain words.
 */
function toPictures(diagram: Diagram, id = ''): readonly Diagram[] {
  const whole = toPart(diagram, id);
  if (layOutChart(whole).width <= MAX_WIDTH) return [whole];
  const compound = childrenOf(diagram, id).filter((child) => childrenOf(diagram, child.id).length > 0);
  const hasOwnOverview = diagram.name === 'process' && id === '';
  const overview = hasOwnOverview ? [] : [foldChart(whole, [id])];
  return [...overview, ...compound.flatMap((child) => toPictures(diagram, child.id))];
}

function toIndex(diagrams: readonly Diagram[]): string {
  return [
    '# Statecharts',
    '',
    'Drawn from `machines/` by `npm run graph`; change the machine, never these files. Every label reads `event [guard] / action`.',
    'A label without an event is taken at once; `[else]` is what remains when no guard before it holds. A double border is an end.',
    'A line inside a box is an event that does not leave the state, or that leads (`⇒`) to a state outside of the picture. A label',
    'that begins with a name and a colon leaves that inner state. Point at a label for its effects; the words below have them all.',
    '',
    ...diagrams.flatMap(toSection),
  ].join('\n');
}

function toSection(diagram: Diagram): readonly string[] {
  const pictures = toPictures(diagram);
  const main = pictures.find(({ name }) => name === diagram.name);
  const parts = pictures.filter((picture) => picture !== main);
  return [
    `## ${diagram.name}`,
    '',
    `${diagram.description} The whole chart as text: [${diagram.name}.mmd](${diagram.name}.mmd).`,
    '',
    ...(diagram.name === 'process' ? ['![The ten states of a process in plain words](life.svg)', ''] : []),
    ...(main === undefined ? [] : [toImage(main), '']),
    ...parts.flatMap((part) => [`### ${part.name}`, '', toImage(part), '']),
    `### ${diagram.name} in words`,
    '',
    toGuide(diagram),
  ];
}

function toImage({ name }: Diagram): string {
  return `![The statechart ${name}](${name}.svg)`;
}
