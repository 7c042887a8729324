import { addStateFlags, type DefineVerb, idHelp, type StateFlags } from '../verb.ts';

const toMore = (name: string) => `
Examples:
  ${name} restart server
  ${name} restart server worker && ${name} logs -f server`;

export const define: DefineVerb = (command, { name, io, end }) => {
  addStateFlags(
    command
      .description('Ends processes and starts them again under the same ids.')
      .argument('<id...>', idHelp),
    { json: 'print one JSON array', quiet: 'print only what went wrong' },
  )
    .addHelpText('after', toMore(name))
    .action(async (words: readonly string[], flags: StateFlags) => {
      const { restartProcesses } = await import('../processes/restart-processes.ts');
      end(await restartProcesses({ words, flags, io }));
    });
};
