import type { DefineVerb } from '../verb.ts';

/** Defines `troupe __complete`, which the completion scripts call. */
export const define: DefineVerb = (command, { program, io, end }) => {
  command
    .argument('[words...]')
    .allowUnknownOption()
    .helpOption(false)
    .action(async (words) => {
      const { printCompletion } = await import('../completion/print-completion.ts');
      end(await printCompletion(words, { program, io }));
    });
};
