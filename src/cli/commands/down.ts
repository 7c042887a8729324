import { addStateFlags, type DefineVerb, type StateFlags } from '../verb.ts';

/** Defines `troupe down`. */
export const define: DefineVerb = (command, { io, end }) => {
  addStateFlags(
    command
      .argument('[words...]', 'the file, by default the nearest troupe.yaml upwards; and names of processes')
      .usage('[options] [file] [name...]'),
    { json: 'print what became of each as one JSON array' },
  )
    .description('Stops what up has started from a file: the last one first, each gone before the next.')
    .action(async (words: readonly string[], flags: StateFlags) => {
      const { runDown } = await import('../up/run-down.ts');
      end(await runDown({ words, flags, io }));
    });
};
