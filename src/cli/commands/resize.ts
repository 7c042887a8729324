import { addStateFlags, type DefineVerb, idHelp, type StateFlags } from '../verb.ts';

const toMore = (name: string) => `
Example:
  ${name} resize editor 120x40`;

export const define: DefineVerb = (command, { name, io, end }) => {
  addStateFlags(
    command
      .description('Gives the terminal of a process another size, of which the process is told.')
      .argument('<id>', idHelp)
      .argument('<size>', 'columns and rows: 120x40'),
    { json: 'print one JSON object', quiet: 'print only what went wrong' },
  )
    .addHelpText('after', toMore(name))
    .action(async (word: string, size: string, flags: StateFlags) => {
      const { resizeTerminal } = await import('../terminal/resize-terminal.ts');
      end(await resizeTerminal({ word, size, flags, io }));
    });
};
