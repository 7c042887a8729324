import type { ScreenFlags } from '../terminal/print-screen.ts';
import { addStateFlags, type DefineVerb, idHelp } from '../verb.ts';

const toMore = (name: string) => `
It works after the end, too: then it is the last screen.

Examples:
  ${name} screen editor
  ${name} screen repl --scrollback 100
  ${name} screen top --colour | less -R`;

export const define: DefineVerb = (command, { name, io, end }) => {
  addStateFlags(
    command
      .description('Prints what the terminal of a process shows, as a person would see it.')
      .argument('<id>', idHelp)
      .option('--scrollback <lines>', 'also so many lines that have scrolled out at the top')
      .option('--colour', 'in its colours'),
    { json: 'print it as one JSON object, with size and cursor' },
  )
    .addHelpText('after', toMore(name))
    .action(async (word: string, flags: ScreenFlags) => {
      const { printScreen } = await import('../terminal/print-screen.ts');
      end(await printScreen({ word, flags, io }));
    });
};
