import { printError, printLines } from '../cli-io.ts';
import { exitCodes } from '../exit-codes.ts';
import { chooseProcess } from '../find-process.ts';
import { parseSize } from '../flag-values.ts';
import { toProcessName } from '../render/process-text.ts';
import type { StateFlags } from '../verb.ts';
import { type VerbInput, withState } from '../with-state.ts';

/** Gives the terminal of a process another size. @returns the exit code. @throws TroupeError `invalid-option` */
export function resizeTerminal(
  scene: VerbInput<StateFlags> & { readonly word: string; readonly size: string },
): Promise<number> {
  const { flags, io } = scene;
  const size = parseSize(scene.size, 'the size');
  return withState(scene, async (state) => {
    const chosen = await chooseProcess(scene.word, { state, io });
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
