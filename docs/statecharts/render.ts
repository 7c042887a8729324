import { childrenOf, type Diagram } from '../../src/cli/verbs/graph/diagram.ts';
import { listMachines } from '../../src/cli/verbs/graph/list-machines.ts';
import { toMermaid } from '../../src/cli/verbs/graph/to-mermaid.ts';
import { toSvg } from '../../src/cli/verbs/graph/to-svg.ts';
import { renderLife } from './drawing/life.ts';
import { toOverview } from './drawing/overview.ts';
import { toPart } from './drawing/part.ts';
import { toGuide } from './drawing/to-guide.ts';

/** Maximum states of a single picture: larger charts get an overview and a picture for each compound state. */
const MAX_STATES_IN_ONE_PICTURE = 12;

/** Renders every file of this folder that is made from the machines, by name. */
export async function renderStatecharts(): Promise<ReadonlyMap<string, string>> {
  const diagrams = listMachines();
  const files = new Map<string, string>();
  for (const diagram of diagrams) {
    files.set(`${diagram.name}.mmd`, toMermaid(diagram));
    for (const picture of toPictures(diagram))
      files.set(`${picture.name}.svg`, (await toSvg(picture)) ?? missing());
  }
  for (const diagram of diagrams.filter(({ name }) => name === 'process'))
    for (const [name, text] of renderLife(diagram)) files.set(name, text);
  return files.set('README.md', toIndex(diagrams));
}

function missing(): never {
  throw new Error('The pictures want @viz-js/viz, and it is not there: run `npm install`.');
}

function toPictures(diagram: Diagram): readonly Diagram[] {
  if (diagram.states.length <= MAX_STATES_IN_ONE_PICTURE) return [diagram];
  const compound = childrenOf(diagram, '').filter(({ id }) => childrenOf(diagram, id).length > 0);
  return [toOverview(diagram), ...compound.map(({ id }) => toPart(diagram, id))];
}

function toIndex(diagrams: readonly Diagram[]): string {
  return [
    '# Statecharts',
    '',
    'Drawn from `machines/` by `npm run graph`; change the machine, never these files. Every label reads `event [guard] / action`.',
    'A label without an event is taken at once; `[else]` is what remains when no guard before it holds. A double border is an',
    'end, a blue box is a state with a picture of its own, a dashed box belongs to another picture.',
    '',
    ...diagrams.flatMap(toSection),
  ].join('\n');
}

function toSection(diagram: Diagram): readonly string[] {
  const [main, ...parts] = toPictures(diagram);
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
