import type { ListFlags } from '../processes/list-processes.ts';
import { addStateFlags, type DefineVerb } from '../verb.ts';

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

export const define: DefineVerb = (command, { name, io, end }) => {
  addStateFlags(
    command
      .description('Lists the processes of a state directory, whoever supervises them.')
      .option('-a, --all', 'also those that have ended'),
    { json: 'print one JSON array', quiet: 'print only ids' },
  )
    .addHelpText('after', toMore(name))
    .action(async (flags: ListFlags) => {
      const { listProcesses } = await import('../processes/list-processes.ts');
      end(await listProcesses({ flags, io }));
    });
};
