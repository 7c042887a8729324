import { addProcessesFlags, type DefineVerb } from '../verb.ts';
import { signalEach } from './pause.ts';

/** Defines `troupe resume`. */
export const define: DefineVerb = (command, { name, io, end }) => {
  addProcessesFlags(command)
    .description('Continues paused processes, and what else of them is halted.')
    .addHelpText(
      'after',
      `
Examples:
  ${name} resume build
  ${name} resume server worker`,
    )
    .action(async (words, flags) =>
      end(await signalEach({ words, flags, io, act: (state, id) => state.resume(id) })),
    );
};
