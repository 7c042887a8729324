import type { DefineVerb } from '../verb.ts';

/** Defines `troupe process`: the verbs of a shell once more, by the names that they have as tools. */
export const define: DefineVerb = (command, { name }) => {
  command
    .description('Lists and steers processes.')
    .usage('<command> [options]')
    .helpCommand(false)
    .addHelpText(
      'after',
      `
They are ps, show, logs, kill, wait, watch, write, signal, pause, resume,
restart, attach, screen, keys and resize, in the words of the tools that agents
have.
See: ${name} process <command> --help`,
    );
};
