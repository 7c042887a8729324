import { nearest } from '../../config/nearest.ts';
import { quote } from '../../config/quote.ts';
import { complain, say } from '../cli-io.ts';
import { exitCodes } from '../exit-code.ts';
import type { StateFlags } from '../state/state-flags.ts';
import { type StateScene, withState } from '../state/with-state.ts';

/** Takes schedules away, by their ids. @returns the exit code. */
export function cancelSchedules(
  scene: StateScene<StateFlags> & { readonly ids: readonly string[] },
): Promise<number> {
  const { flags, io } = scene;
  return withState(scene, async (state) => {
    const known = (await state.schedules()).map(({ id }) => id);
    const results: { readonly id: string; readonly cancelled: boolean }[] = [];
    for (const id of scene.ids) results.push({ id, cancelled: await state.unschedule(id) });
    if (flags.json === true) say(io, JSON.stringify(results));
    for (const { id, cancelled } of flags.json === true ? [] : results) {
      if (!cancelled) complain(io, `there is no schedule ${quote(id)}. ${toHint(id, known)}`);
      else if (flags.quiet !== true) say(io, `${id} is cancelled.`);
    }
    return results.every(({ cancelled }) => cancelled) ? exitCodes.done : exitCodes.failed;
  });
}

function toHint(id: string, known: readonly string[]): string {
  const meant = nearest(id, known);
  if (meant !== null) return `Did you mean ${meant}?`;
  return known.length === 0 ? 'There are none.' : `There are: ${known.join(', ')}.`;
}
