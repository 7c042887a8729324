import type { Command } from 'commander';
import { addStateFlags } from '../state/state-flags.ts';
import type { ScreenFlags } from '../terminal/print-screen.ts';
import type { VerbSetup } from '../verb.ts';
import { idHelp } from './id-help.ts';

const toMore = (name: string) => `
It works after the end, too: then it is the last screen.

Examples:
  ${name} screen editor
  ${name} screen repl --scrollback 100
  ${name} screen top --colour | less -R`;

export function defineScreen(setup: VerbSetup): void {
  describeScreen(setup.program.command('screen').alias('capture'), setup);
}

export function describeScreen(command: Command, { program, io, end }: VerbSetup): void {
  addStateFlags(
    command
      .summary('print what a terminal shows')
      .description('Prints what the terminal of a process shows, as a person would see it.')
      .argument('<id>', idHelp)
      .option('--scrollback <lines>', 'also so many lines that have scrolled out at the top')
      .option('--colour', 'in its colours'),
    { json: 'print it as one JSON object, with size and cursor' },
  )
    .addHelpText('after', toMore(program.name()))
    .action(async (word: string, flags: ScreenFlags) => {
      const { printScreen } = await import('../terminal/print-screen.ts');
      end(await printScreen({ word, flags, io }));
    });
}
