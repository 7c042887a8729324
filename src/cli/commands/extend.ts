import type { ExtendFlags } from '../processes/extend-limits.ts';
import { addStateFlags, type DefineVerb, idHelp } from '../verb.ts';

const toMore = (name: string) => `
A duration is 500ms, 30s, 5m, 2h, or a number of seconds; "none" takes a limit
away. Limits count from the start, or from the move to the background.

Examples:
  ${name} extend build --max-time 2h
  ${name} extend server --max-background none`;

export const define: DefineVerb = (command, { name, io, end }) => {
  addStateFlags(
    command
      .description('Changes time limits of a process while it runs.')
      .argument('<id>', idHelp)
      .option('--timeout <duration>', 'how long somebody waits for it in the foreground')
      .option('--max-time <duration>', 'how long it may run in the foreground')
      .option('--max-background <duration>', 'how long it may run in the background'),
    { json: 'print {"id", "changed"}', quiet: 'print only what went wrong' },
  )
    .addHelpText('after', toMore(name))
    .action(async (word: string, flags: ExtendFlags) => {
      const { extendLimits } = await import('../processes/extend-limits.ts');
      end(await extendLimits({ word, flags, io }));
    });
};
