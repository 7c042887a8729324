import type { AttachFlags } from '../attach/attach-process.ts';
import { addStateFlags, type DefineVerb, idHelp } from '../verb.ts';

const toMore = (name: string) => `
Ctrl-] leaves it, and it goes on. In tmux that is the key in any case, and
--leave-key is refused. While you are there its terminal has the size of yours.
Others may be there at the same time.

It ends with 0 when you leave, and with the process's own exit code when that
ends while you are there.

Examples:
  ${name} attach editor
  ${name} attach build --read-only
  ${name} attach repl --leave-key C-q`;

export const define: DefineVerb = (command, { name, io, end }) => {
  addStateFlags(
    command
      .description('Shows the terminal of a process in yours, and types there what you type.')
      .argument('<id>', idHelp)
      .option('-r, --read-only', 'look, and type nothing')
      .option('--leave-key <key>', 'the key that leaves: C-a to C-z, C-\\, C-], C-^, C-_ (C-])'),
    {},
  )
    .addHelpText('after', toMore(name))
    .action(async (word: string, flags: AttachFlags) => {
      const { attachProcess } = await import('../attach/attach-process.ts');
      end(await attachProcess({ word, flags, io }));
    });
};
