import { toErrorText } from '../../config/error-text.ts';
import { nearest } from '../../config/nearest.ts';
import { quote } from '../../config/quote.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import type { StateDirectory } from '../../state-directory/state-directory.ts';
import { printError, printLines } from '../cli-io.ts';
import { exitCodes } from '../exit-codes.ts';
import type { StateFlags } from '../verb.ts';
import { type VerbInput, withState } from '../with-state.ts';

/** What became of one. `error`: whether there is such a one, nobody could be asked. */
interface Outcome {
  readonly id: string;
  readonly cancelled: boolean;
  readonly error?: string;
}

/** Takes schedules away, by their ids. @returns the exit code. */
export function cancelSchedules(
  scene: VerbInput<StateFlags> & { readonly ids: readonly string[] },
): Promise<number> {
  const { flags, io } = scene;
  return withState(scene, async (state) => {
    const known = (await state.schedules()).schedules.map(({ id }) => id);
    const outcomes: Outcome[] = [];
    for (const id of scene.ids) outcomes.push(await cancel(id, state));
    if (flags.json === true) printLines(io, JSON.stringify(outcomes));
    for (const { id, cancelled, error } of flags.json === true ? [] : outcomes) {
      if (error !== undefined) printError(io, error);
      else if (!cancelled) printError(io, `there is no schedule ${quote(id)}. ${toHint(id, known)}`);
      else if (flags.quiet !== true) printLines(io, `${id} is cancelled.`);
    }
    return outcomes.every(({ cancelled }) => cancelled) ? exitCodes.done : exitCodes.failed;
  });
}

async function cancel(id: string, state: StateDirectory): Promise<Outcome> {
  try {
    return { id, cancelled: await state.unschedule(id) };
  } catch (error) {
    // The others are taken away all the same.
    if (!(error instanceof TroupeError)) throw error;
    return { id, cancelled: false, error: toErrorText(error) };
  }
}

function toHint(id: string, known: readonly string[]): string {
  const meant = nearest(id, known);
  if (meant !== null) return `Did you mean ${meant}?`;
  return known.length === 0 ? 'There are none.' : `There are: ${known.join(', ')}.`;
}
