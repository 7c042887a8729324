import { addStateFlags, type StateFlags } from '../state/state-flags.ts';
import type { VerbSetup } from '../verb.ts';

export function defineDown({ program, io, end }: VerbSetup): void {
  const command = program
    .command('down')
    .summary('stop the processes of a file, in reverse order')
    .description('Stops what up has started from a file: the last one first, each gone before the next.')
    .argument('[words...]', 'the file, by default the nearest troupe.yaml upwards; and names of processes')
    .usage('[options] [file] [name...]');
  addStateFlags(command, { json: 'print what became of each as one JSON array' }).action(
    async (words: readonly string[], flags: StateFlags) => {
      const { runDown } = await import('../up/run-down.ts');
      end(await runDown({ words, flags, io }));
    },
  );
}
