import type { Command } from '@commander-js/extra-typings';
import { printError, printLines } from '../cli-io.ts';
import { exitCodes } from '../exit-codes.ts';
import { chooseProcess } from '../find-process.ts';
import { parseSize } from '../flag-values.ts';
import { toProcessName } from '../render/process-text.ts';
import { addStateFlags, type DefineVerb, idHelp } from '../verb.ts';
import { type VerbInput, withState } from '../with-state.ts';

const addFlags = (command: Command) =>
  addStateFlags(command.argument('<id>', idHelp).argument('<size>', 'columns and rows: 120x40'), {
    json: 'print one JSON object',
    quiet: 'print only errors',
  });

/** Defines `troupe resize`. */
export const define: DefineVerb = (command, { name, io, end }) => {
  addFlags(command)
    .description('Resizes the terminal of a process and notifies the process.')
    .addHelpText(
      'after',
      `
Example:
  ${name} resize editor 120x40`,
    )
    .action(async (word, size, flags) => end(await resizeTerminal({ word, size, flags, io })));
};

/** Resizes the terminal of a process. @returns the exit code. @throws TroupeError `invalid-option` */
export function resizeTerminal(
  input: VerbInput & { readonly word: string; readonly size: string },
): Promise<number> {
  const { flags, io } = input;
  const size = parseSize(input.size, 'the size');
  return withState(input, async (state) => {
    const chosen = await chooseProcess(input.word, { state, io });
    if (chosen === null) return exitCodes.failed;
    const { id } = chosen.view;
    const result = await state.resize(id, size);
    if (flags.json === true) printLines(io, JSON.stringify({ id, ...size, ...result }));
    else if (!result.ok) printError(io, result.error);
    else if (flags.quiet !== true) {
      printLines(
        io,
        `The terminal of ${toProcessName(chosen.view)} has ${size.columns} columns and ${size.rows} rows.`,
      );
    }
    return result.ok ? exitCodes.done : exitCodes.failed;
  });
}
