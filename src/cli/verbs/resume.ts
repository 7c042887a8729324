import type { Command } from '@commander-js/extra-typings';
import { addStateFlags, type DefineVerb, idHelp } from '../verb.ts';
import { signalEach } from './pause.ts';

const addFlags = (command: Command) =>
  addStateFlags(command.argument('<id...>', idHelp), {
    json: 'print one JSON array',
    quiet: 'print only errors',
  });

/** Defines `troupe resume`. */
export const define: DefineVerb = (command, { name, io, end }) => {
  addFlags(command)
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
