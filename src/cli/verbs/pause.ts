import { toErrorText } from '../../config/error-text.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import type { SignalAnswer } from '../../process/process-handle.ts';
import type { StateDirectory } from '../../state-directory/state-directory.ts';
import { printError, printLines } from '../cli-io.ts';
import { exitCodes } from '../exit-codes.ts';
import { chooseProcesses, printMissed } from '../find-process.ts';
import { addProcessesFlags, type DefineVerb } from '../verb.ts';
import { type VerbInput, withState } from '../with-state.ts';

/** Defines `troupe pause`. */
export const define: DefineVerb = (command, { name, io, end }) => {
  addProcessesFlags(command)
    .description('Halts processes with everything they started, until they are resumed.')
    .addHelpText(
      'after',
      `
Time limits of a paused process continue. kill ends it all the same.

Examples:
  ${name} pause build
  ${name} pause build && sleep 60 && ${name} resume build`,
    )
    .action(async (words, flags) =>
      end(await signalEach({ words, flags, io, act: (state, id) => state.pause(id) })),
    );
};

interface SignalCall extends VerbInput {
  readonly words: readonly string[];
  readonly act: (state: StateDirectory, id: string) => Promise<SignalAnswer>;
}

type Outcome = { readonly id: string } & (SignalAnswer | { readonly ok: false; readonly message: string });

/** Signals, pauses or resumes processes. @returns the exit code. */
export function signalEach(input: SignalCall): Promise<number> {
  const { flags, io, words, act } = input;
  return withState(input, async (state) => {
    const chosen = await chooseProcesses(words, { state, io });
    printMissed(chosen, io);
    const signal = async (id: string): Promise<Outcome> => {
      try {
        return { id, ...(await act(state, id)) };
      } catch (error) {
        // One failure must not keep the others from being signalled.
        if (!(error instanceof TroupeError) || error.code === 'invalid-option') throw error;
        return { id, ok: false, message: toErrorText(error) };
      }
    };
    const outcomes = await Promise.all(chosen.processes.map(({ view }) => signal(view.id)));
    if (flags.json === true) printLines(io, JSON.stringify(outcomes));
    for (const { ok, message } of flags.json === true ? [] : outcomes) {
      if (!ok) printError(io, message);
      else if (flags.quiet !== true) printLines(io, message);
    }
    const isDone = chosen.missed.length === 0 && outcomes.every(({ ok }) => ok);
    return isDone ? exitCodes.done : exitCodes.failed;
  });
}
