import { toErrorText } from '../../config/error-text.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import type { SeenProcess, StateDirectory } from '../../state-directory/state-directory.ts';
import { printError, printLines } from '../cli-io.ts';
import { exitCodes } from '../exit-codes.ts';
import { chooseProcesses, printMissed } from '../find-process.ts';
import { toProcessName } from '../render/process-text.ts';
import { type VerbInput, withState } from '../with-state.ts';

interface Restart {
  readonly id: string;
  readonly restarted: boolean;
  readonly error: string | null;
}

/** Ends processes and starts them again under the same ids. @returns the exit code. */
export function restartProcesses(scene: VerbInput & { readonly words: readonly string[] }): Promise<number> {
  const { flags, io } = scene;
  return withState(scene, async (state) => {
    const chosen = await chooseProcesses(scene.words, { state, io });
    printMissed(chosen, io);
    const restarts = await Promise.all(chosen.processes.map((seen) => restart(seen, state)));
    if (flags.json === true) printLines(io, JSON.stringify(restarts));
    for (const { id, error } of flags.json === true ? [] : restarts) {
      if (error !== null) printError(io, error);
      else if (flags.quiet !== true) printLines(io, `Process ${id} starts again.`);
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
      : `${toProcessName(view)} cannot be started again: it has ended, or is being stopped.`;
    return { id, restarted, error };
  } catch (error) {
    // The others are started again all the same.
    if (!(error instanceof TroupeError)) throw error;
    return { id, restarted: false, error: toErrorText(error) };
  }
}
