import type { Command } from 'commander';
import type { SweepFlags } from '../processes/sweep-records.ts';
import { addStateFlags } from '../state/state-flags.ts';
import type { VerbSetup } from '../verb.ts';

const toMore = (name: string) => `
What runs is never touched, nor are records that cannot be read.

Examples:
  ${name} clean --all -n        what would go
  ${name} clean --all`;

export function defineClean(setup: VerbSetup): void {
  describeClean(setup.program.command('clean'), setup);
}

export function describeClean(command: Command, { program, io, end }: VerbSetup): void {
  addStateFlags(
    command
      .summary('forget processes that have ended')
      .description('Forgets processes that ended some time ago, and removes their logs.')
      .option('--all', 'however short ago they ended')
      .option('-n, --dry-run', 'only say what would be removed'),
    { json: 'print {"forgotten", "logsRemoved", "freedBytes", "dryRun"}', quiet: 'print nothing' },
  )
    .addHelpText('after', toMore(program.name()))
    .action(async (flags: SweepFlags) => {
      const { sweepRecords } = await import('../processes/sweep-records.ts');
      end(await sweepRecords({ flags, io }));
    });
}
