import { printLines } from '../cli-io.ts';
import { exitCodes } from '../exit-code.ts';
import { createPage } from '../render/page.ts';
import { renderProcessFacts } from '../render/process-facts.ts';
import { chooseProcess } from '../state/choose-processes.ts';
import { type VerbInput, withState } from '../state/with-state.ts';

/** Prints all that is known of a process. @returns the exit code. */
export function showProcess(scene: VerbInput & { readonly word: string }): Promise<number> {
  const { flags, io } = scene;
  return withState(scene, async (state) => {
    const chosen = await chooseProcess(scene.word, { state, io });
    if (chosen === null) return exitCodes.failed;
    const { view, timeline, supervisorId, answered } = await state.show(chosen.view.id);
    if (flags.json === true) printLines(io, JSON.stringify({ view, timeline, supervisorId, answered }));
    else
      printLines(
        io,
        ...renderProcessFacts({ view, timeline, answered, supervisorId }, createPage(io.stdout)),
      );
    return exitCodes.done;
  });
}
