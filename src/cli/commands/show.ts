import type { Command } from 'commander';
import type { StateFlags } from '../state/state-flags.ts';
import { addStateFlags } from '../state/state-flags.ts';
import type { VerbSetup } from '../verb.ts';
import { idHelp } from './id-help.ts';

const toMore = (name: string) => `
Examples:
  ${name} show build
  ${name} show k3m --json | jq .timeline`;

export function defineShow(setup: VerbSetup): void {
  describeShow(setup.program.command('show'), setup);
}

export function describeShow(command: Command, { program, io, end }: VerbSetup): void {
  addStateFlags(
    command
      .summary('print all about a process')
      .description('Prints all that is known of a process, and what happened to it.')
      .argument('<id>', idHelp),
    { json: 'print {"view": …, "timeline": […]}' },
  )
    .addHelpText('after', toMore(program.name()))
    .action(async (word: string, flags: StateFlags) => {
      const { showProcess } = await import('../processes/show-process.ts');
      end(await showProcess({ word, flags, io }));
    });
}
