import type { Command } from 'commander';
import { addStateFlags, type StateFlags } from '../state/state-flags.ts';
import type { VerbSetup } from '../verb.ts';
import { idHelp } from './id-help.ts';

const toMore = (name: string) => `
Examples:
  ${name} restart server
  ${name} restart server worker && ${name} logs -f server`;

export function defineRestart(setup: VerbSetup): void {
  describeRestart(setup.program.command('restart'), setup);
}

export function describeRestart(command: Command, { program, io, end }: VerbSetup): void {
  addStateFlags(
    command
      .summary('end processes and start them again')
      .description('Ends processes and starts them again under the same ids.')
      .argument('<id...>', idHelp),
    { json: 'print one JSON array', quiet: 'print only what went wrong' },
  )
    .addHelpText('after', toMore(program.name()))
    .action(async (words: readonly string[], flags: StateFlags) => {
      const { restartProcesses } = await import('../processes/restart-processes.ts');
      end(await restartProcesses({ words, flags, io }));
    });
}
