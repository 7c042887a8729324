import type { Diagram } from '../../../charts/diagram.ts';
import { nearest } from '../../../config/nearest.ts';
import { quote } from '../../../config/quote.ts';
import { TroupeError } from '../../../config/troupe-error.ts';
import { type CliIo, printLines } from '../../cli-io.ts';
import { exitCodes } from '../../exit-codes.ts';
import type { DefineVerb } from '../../verb.ts';
import { toMermaid } from './to-mermaid.ts';

/** Defines `troupe graph`. */
export const define: DefineVerb = (command, { name, io, end }) => {
  command
    .description('Prints the statechart that processes, supervisors or conversations follow.')
    .argument('[machine]', 'which one')
    .addOption(
      command
        .createOption('-f, --format <format>', 'how')
        .choices(['mermaid', 'svg', 'json'])
        .default('mermaid' as const),
    )
    .addHelpText(
      'after',
      `
Machines: process, supervisor, conversation; without one, all are listed.

  ${name} graph process --format svg > process.svg
  ${name} graph process > process.mmd`,
    )
    .action(async (machine, { format }) => end(await printGraph({ machine: machine ?? null, format, io })));
};

type GraphFormat = 'mermaid' | 'svg' | 'json';

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
  const { listMachines } = await import('../../../charts/list-machines.ts');
  const diagrams = listMachines();
  if (machine === null) {
    const rows = diagrams.map(({ name, description }) => `${name.padEnd(14)}${description}`.trimEnd());
    printLines(io, ...(format === 'json' ? [JSON.stringify(diagrams)] : rows));
    return exitCodes.done;
  }
  io.stdout.write(await render(find(machine, diagrams), format));
  return exitCodes.done;
}

async function render(diagram: Diagram, format: GraphFormat): Promise<string> {
  switch (format) {
    case 'mermaid':
      return toMermaid(diagram);
    case 'svg': {
      const [{ layOutChart }, { drawChart }] = await Promise.all([
        import('../../../charts/lay-out-chart.ts'),
        import('../../../charts/draw-chart.ts'),
      ]);
      return drawChart(layOutChart(diagram));
    }
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
