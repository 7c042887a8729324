import type { Command } from 'commander';
import type { ListFlags } from '../processes/list-processes.ts';
import { addStateFlags } from '../state/state-flags.ts';
import type { VerbSetup } from '../verb.ts';

const toMore = (name: string) => `
Where a terminal is narrow, columns are left out. What stands under a process:
the tool that started it, whose it is, whether its supervisor answers, and
what it left behind that is still alive: an ended process is listed as long
as that.

Examples:
  ${name} ps                    what runs, and what is left of ended processes
  ${name} ps -a                 also what has ended, the newest last
  ${name} kill -f $(${name} ps -q)
  ${name} ps --json | jq '.[] | select(.status == "backgrounded") | .id'`;

export function definePs(setup: VerbSetup): void {
  describePs(setup.program.command('ps'), setup);
}

export function describePs(command: Command, { program, io, end }: VerbSetup): void {
  addStateFlags(
    command
      .summary('list processes')
      .description('Lists the processes of a state directory, whoever supervises them.')
      .option('-a, --all', 'also those that have ended'),
    { json: 'print one JSON array', quiet: 'print only ids' },
  )
    .addHelpText('after', toMore(program.name()))
    .action(async (flags: ListFlags) => {
      const { listProcesses } = await import('../processes/list-processes.ts');
      end(await listProcesses({ flags, io }));
    });
}
