import type { Command } from '@commander-js/extra-typings';
import { createMachineUsage } from '../../readiness/machine-usage.ts';
import { printLines } from '../cli-io.ts';
import { exitCodes } from '../exit-codes.ts';
import { chooseProcess } from '../find-process.ts';
import { createPage } from '../render/page.ts';
import { renderProcessFacts } from '../render/process-facts.ts';
import { addStateFlags, type DefineVerb, type FlagsOf, idHelp } from '../verb.ts';
import { type VerbInput, withState } from '../with-state.ts';

const addFlags = (command: Command) =>
  addStateFlags(command.argument('<id>', idHelp), { json: 'print {"view": …, "timeline": […], "usage": …}' });

/** Defines `troupe show`. */
export const define: DefineVerb = (command, { name, io, end }) => {
  addFlags(command)
    .description('Prints everything known about a process, and what happened to it.')
    .addHelpText(
      'after',
      `
Examples:
  ${name} show build
  ${name} show k3m --json | jq .timeline`,
    )
    .action(async (word, flags) => end(await showProcess({ word, flags, io })));
};

/** Prints everything known about a process. @returns the exit code. */
export function showProcess(
  input: VerbInput<FlagsOf<typeof addFlags>> & { readonly word: string },
): Promise<number> {
  const { flags, io, word } = input;
  return withState(input, async (state) => {
    const chosen = await chooseProcess(word, { state, io });
    if (chosen === null) return exitCodes.failed;
    const shown = await state.show(chosen.view.id);
    const { view, timeline, supervisorId, answered } = shown;
    const usage = (await createMachineUsage()([view])).get(view.id) ?? null;
    if (flags.json === true)
      printLines(io, JSON.stringify({ view, timeline, supervisorId, answered, usage }));
    else printLines(io, ...renderProcessFacts({ ...shown, usage }, createPage(io.stdout)));
    return exitCodes.done;
  });
}
