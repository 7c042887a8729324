import { nearest } from '../../config/nearest.ts';
import { quote } from '../../config/quote.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import { type CliIo, printError, printLines, toProgramName } from '../cli-io.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Diagram } from './drawing/diagram.ts';
import { toDot } from './drawing/to-dot.ts';
import { toMermaid } from './drawing/to-mermaid.ts';
import { listMachines } from './list-machines.ts';
import { toSvg } from './to-svg.ts';

export type GraphFormat = 'mermaid' | 'svg' | 'dot' | 'json';

/**
 * Prints one machine, or the list of them. @returns the exit code.
 *
 * @throws TroupeError `invalid-option` where there is no such machine.
 */
export async function printGraph({
  machine,
  format,
  io,
}: {
  readonly machine: string | null;
  readonly format: GraphFormat;
  readonly io: CliIo;
}): Promise<number> {
  const diagrams = listMachines();
  if (machine === null) {
    if (format === 'json') printLines(io, JSON.stringify(diagrams));
    else
      printLines(
        io,
        ...diagrams.map(({ name, description }) => `${name.padEnd(14)}${description}`.trimEnd()),
      );
    return exitCodes.done;
  }
  const text = await render(find(machine, diagrams), format);
  if (text !== null) {
    io.stdout.write(text);
    return exitCodes.done;
  }
  printError(
    io,
    'a picture wants Graphviz, and the package @viz-js/viz is not there.',
    `With its program: ${toProgramName(io.env)} graph ${machine} --format dot | dot -Tsvg > ${machine}.svg`,
    'Or: npm install @viz-js/viz',
  );
  return exitCodes.failed;
}

function render(diagram: Diagram, format: GraphFormat): string | Promise<string | null> {
  switch (format) {
    case 'mermaid':
      return toMermaid(diagram);
    case 'dot':
      return toDot(diagram);
    case 'svg':
      return toSvg(diagram);
    case 'json':
      return `${JSON.stringify(diagram, null, 2)}\n`;
  }
}

function find(name: string, diagrams: readonly Diagram[]): Diagram {
  const found = diagrams.find((diagram) => diagram.name === name);
  if (found !== undefined) return found;
  const names = diagrams.map((diagram) => diagram.name);
  const meant = nearest(name, names);
  const hint = meant === null ? `There are: ${names.join(', ')}.` : `Did you mean ${meant}?`;
  throw new TroupeError({ code: 'invalid-option', message: `there is no machine ${quote(name)}. ${hint}` });
}
