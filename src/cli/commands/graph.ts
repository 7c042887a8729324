import type { DefineVerb } from '../verb.ts';

const toMore = (name: string) => `
Machines: process, supervisor, conversation; without one, all are listed.

  ${name} graph process --format dot | dot -Tsvg > process.svg
  ${name} graph process > process.mmd`;

export const define: DefineVerb = (command, { name, io, end }) => {
  command
    .description('Prints the statechart that processes, supervisors or conversations follow.')
    .argument('[machine]', 'which one')
    .addOption(
      command
        .createOption('-f, --format <format>', 'how')
        .choices(['mermaid', 'svg', 'dot', 'json'])
        .default('mermaid'),
    )
    .addHelpText('after', toMore(name))
    .action(
      async (machine: string | undefined, { format }: { format: 'mermaid' | 'svg' | 'dot' | 'json' }) => {
        const { printGraph } = await import('../graph/print-graph.ts');
        end(await printGraph({ machine: machine ?? null, format, io }));
      },
    );
};
