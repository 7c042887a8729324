import { nearest } from '../../../config/nearest.ts';
import { quote } from '../../../config/quote.ts';
import { TroupeError } from '../../../config/troupe-error.ts';
import { type CliIo, printError, printLines, toProgramName } from '../../cli-io.ts';
import { exitCodes } from '../../exit-codes.ts';
import type { DefineVerb } from '../../verb.ts';
import type { Diagram } from './diagram.ts';
import { toDot } from './to-dot.ts';
import { toMermaid } from './to-mermaid.ts';
import { toSvg } from './to-svg.ts';

/** Defines `troupe graph`. */
export const define: DefineVerb = (command, { name, io, end }) => {
  command
    .description('Prints the statechart that processes, supervisors or conversations follow.')
    .argument('[machine]', 'which one')
    .addOption(
      command
        .createOption('-f, --format <format>', 'how')
        .choices(['mermaid', 'svg', 'dot', 'json'])
        .default('mermaid' as const),
    )
    .addHelpText(
      'after',
      `
Machines: process, supervisor, conversation; without one, all are listed.

  ${name} graph process --format dot | dot -Tsvg > process.svg
  ${name} graph process > process.mmd`,
    )
    .action(async (machine, { format }) => end(await printGraph({ machine: machine ?? null, format, io })));
};

type GraphFormat = 'mermaid' | 'svg' | 'dot' | 'json';

/**
 * Prints one machine, or the list of them. @returns the exit code.
 *
 * @throws TroupeError `invalid-option` for an unknown machine.
 */
async function printGraph({
  machine,
  format,
  io,
}: {
  readonly machine: string | null;
  readonly format: GraphFormat;
  readonly io: CliIo;
}): Promise<number> {
  // Loads xstate and every chart, which help and completion do not need.
  const { listMachines } = await import('./list-machines.ts');
  const diagrams = listMachines();
  if (machine === null) {
    const rows = diagrams.map(({ name, description }) => `${name.padEnd(14)}${description}`.trimEnd());
    printLines(io, ...(format === 'json' ? [JSON.stringify(diagrams)] : rows));
    return exitCodes.done;
  }
  const text = await render(find(machine, diagrams), format);
  if (text !== null) {
    io.stdout.write(text);
    return exitCodes.done;
  }
  printError(
    io,
    'SVG needs the package @viz-js/viz, which is not installed.',
    `With the program: ${toProgramName(io.env)} graph ${machine} --format dot | dot -Tsvg > ${machine}.svg`,
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
