import type { Command } from 'commander';
import { addStateFlags, type StateFlags } from '../state/state-flags.ts';
import type { VerbSetup } from '../verb.ts';
import { idHelp } from './id-help.ts';

const toMore = (name: string) => `
Example:
  ${name} resize editor 120x40`;

export function defineResize(setup: VerbSetup): void {
  describeResize(setup.program.command('resize'), setup);
}

export function describeResize(command: Command, { program, io, end }: VerbSetup): void {
  addStateFlags(
    command
      .summary('give a terminal another size')
      .description('Gives the terminal of a process another size, of which the process is told.')
      .argument('<id>', idHelp)
      .argument('<size>', 'columns and rows: 120x40'),
    { json: 'print one JSON object', quiet: 'print only what went wrong' },
  )
    .addHelpText('after', toMore(program.name()))
    .action(async (word: string, size: string, flags: StateFlags) => {
      const { resizeTerminal } = await import('../terminal/resize-terminal.ts');
      end(await resizeTerminal({ word, size, flags, io }));
    });
}
