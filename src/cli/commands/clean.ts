import type { SweepFlags } from '../processes/sweep-records.ts';
import { addStateFlags, type DefineVerb } from '../verb.ts';

const toMore = (name: string) => `
What runs is never touched, nor are records that cannot be read.

Examples:
  ${name} clean --all -n        what would go
  ${name} clean --all`;

export const define: DefineVerb = (command, { name, io, end }) => {
  addStateFlags(
    command
      .description('Forgets processes that ended some time ago, and removes their logs.')
      .option('--all', 'however short ago they ended')
      .option('-n, --dry-run', 'only say what would be removed'),
    { json: 'print {"forgotten", "logsRemoved", "freedBytes", "dryRun"}', quiet: 'print nothing' },
  )
    .addHelpText('after', toMore(name))
    .action(async (flags: SweepFlags) => {
      const { sweepRecords } = await import('../processes/sweep-records.ts');
      end(await sweepRecords({ flags, io }));
    });
};
