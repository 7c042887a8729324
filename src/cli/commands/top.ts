import { addStateFlags, type DefineVerb } from '../verb.ts';
import type { ListFlags } from '../verbs/ps.ts';

const toMore = (name: string) => `
Keys: ↑ ↓ choose, Enter all about it, k end it, a also what has ended,
s sort by another column, q leave. CPU and memory are those of the whole tree.
Without a terminal it prints the table once.

Example:
  ${name} top`;

export const define: DefineVerb = (command, { name, io, end }) => {
  addStateFlags(
    command
      .description('Shows the processes of a state directory as they are, once a second.')
      .option('-a, --all', 'also those that have ended'),
    {},
  )
    .addHelpText('after', toMore(name))
    .action(async (flags: ListFlags) => {
      const { runTop } = await import('../top/run-top.ts');
      end(await runTop({ flags, io }));
    });
};
