import { toErrorText } from '../../config/error-text.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import type { SeenProcess, StateDirectory } from '../../state-directory/state-directory.ts';
import { printError, printLines } from '../cli-io.ts';
import { exitCodes } from '../exit-codes.ts';
import { chooseProcesses, printMissed } from '../find-process.ts';
import { toProcessName } from '../render/process-text.ts';
import { addProcessesFlags, type DefineVerb } from '../verb.ts';
import { type VerbInput, withState } from '../with-state.ts';

/** Defines `troupe restart`. */
export const define: DefineVerb = (command, { name, io, end }) => {
  addProcessesFlags(command)
    .description('Ends processes and starts them again under the same ids.')
    .addHelpText(
      'after',
      `
Examples:
  ${name} restart server
  ${name} restart server worker && ${name} logs -f server`,
    )
    .action(async (words, flags) => end(await restartProcesses({ words, flags, io })));
};

interface Restart {
  readonly id: string;
  readonly restarted: boolean;
  readonly error: string | null;
}

/** Ends processes and starts them again under the same ids. @returns the exit code. */
export function restartProcesses(input: VerbInput & { readonly words: readonly string[] }): Promise<number> {
  const { flags, io, words } = input;
  return withState(input, async (state) => {
    const chosen = await chooseProcesses(words, { state, io });
    printMissed(chosen, io);
    const restarts = await Promise.all(chosen.processes.map((seen) => restart(seen, state)));
    if (flags.json === true) printLines(io, JSON.stringify(restarts));
    for (const { id, error } of flags.json === true ? [] : restarts) {
      if (error !== null) printError(io, error);
      else if (flags.quiet !== true) printLines(io, `Process ${id} is restarting.`);
    }
    const isDone = chosen.missed.length === 0 && restarts.every(({ restarted }) => restarted);
    return isDone ? exitCodes.done : exitCodes.failed;
  });
}

async function restart({ view }: SeenProcess, state: StateDirectory): Promise<Restart> {
  const { id } = view;
  try {
    const restarted = await state.restart(id);
    const error = restarted
      ? null
      : `${toProcessName(view)} cannot be restarted: it has ended or is being stopped.`;
    return { id, restarted, error };
  } catch (error) {
    // One failure must not keep the others from restarting.
    if (!(error instanceof TroupeError)) throw error;
    return { id, restarted: false, error: toErrorText(error) };
  }
}
