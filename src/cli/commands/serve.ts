import type { ServeFlags } from '../serve/serve-flags.ts';
import type { DefineVerb } from '../verb.ts';

const toMore = (name: string) => `
It is started on demand by ${name} start, and needs no care. In the foreground
it shows what it does; Ctrl-C ends it, and what does not outlive it.`;

export const define: DefineVerb = (command, { name, io, end }) => {
  command
    .description(
      'Supervises the processes of a state directory without an agent or a terminal, until it is idle.',
    )
    .option('--idle <duration>', 'end when there was nothing to do for so long')
    .option('--forever', 'do not end when idle')
    .option('--state-dir <directory>', 'where records and logs are kept')
    .addHelpText('after', toMore(name))
    .action(async (flags: ServeFlags) => {
      const { runServe } = await import('../serve/run-serve.ts');
      end(await runServe({ flags, io }));
    });
};
