import type { Command } from 'commander';
import type { AttachFlags } from '../attach/attach-process.ts';
import { addStateFlags } from '../state/state-flags.ts';
import type { VerbSetup } from '../verb.ts';
import { idHelp } from './id-help.ts';

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

export function defineAttach(setup: VerbSetup): void {
  describeAttach(setup.program.command('attach'), setup);
}

export function describeAttach(command: Command, { program, io, end }: VerbSetup): void {
  addStateFlags(
    command
      .summary('sit down at the terminal of a process')
      .description('Shows the terminal of a process in yours, and types there what you type.')
      .argument('<id>', idHelp)
      .option('-r, --read-only', 'look, and type nothing')
      .option('--leave-key <key>', 'the key that leaves: C-a to C-z, C-\\, C-], C-^, C-_ (C-])'),
    {},
  )
    .addHelpText('after', toMore(program.name()))
    .action(async (word: string, flags: AttachFlags) => {
      const { attachProcess } = await import('../attach/attach-process.ts');
      end(await attachProcess({ word, flags, io }));
    });
}
