import { buffer } from 'node:stream/consumers';
import type { WriteResult } from '../../../machines/process/events.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import type { StateDirectory } from '../../control/state-directory.ts';
import { parseKeys } from '../../spawn/terminal/parse-keys.ts';
import { type CliIo, complain, say } from '../cli-io.ts';
import { exitCodes } from '../exit-code.ts';
import { toProcessName } from '../render/process-name.ts';
import { chooseProcess } from '../state/choose-processes.ts';
import type { StateFlags } from '../state/state-flags.ts';
import { type StateScene, withState } from '../state/with-state.ts';

export interface KeyFlags extends StateFlags {
  readonly text?: string;
  /** `-`: what stands on our stdin. */
  readonly paste?: string;
  readonly enter?: boolean;
}

type KeyScene = StateScene<KeyFlags> & { readonly word: string; readonly keys: readonly string[] };

/**
 * Types in the terminal of a process: what is to be pasted, the text, the keys, Enter. @returns the exit code.
 *
 * @throws TroupeError `invalid-option`: there is nothing to type, or no such key.
 */
export function pressKeys(scene: KeyScene): Promise<number> {
  const { flags, io, keys } = scene;
  checkKeys(scene);
  return withState(scene, async (state) => {
    const chosen = await chooseProcess(scene.word, { state, io });
    if (chosen === null) return exitCodes.failed;
    const { id } = chosen.view;
    const result = await type(scene, { state, id });
    if (flags.json === true) say(io, JSON.stringify({ id, ...result }));
    else if (!result.ok) complain(io, result.error);
    else if (flags.quiet !== true) say(io, `Typed in ${toProcessName(chosen.view)}${toWhat(keys)}.`);
    return result.ok ? exitCodes.done : exitCodes.failed;
  });
}

async function type(
  { flags, io, keys }: KeyScene,
  { state, id }: { readonly state: StateDirectory; readonly id: string },
): Promise<WriteResult> {
  const { text = '', enter: pressEnter = false } = flags;
  const pasted = flags.paste === '-' ? await readInput(io) : (flags.paste ?? '');
  const rest = { keys: [...keys], pressEnter };
  // In one order, so that nobody else's keys come in between.
  if (pasted !== '' && text === '') return state.sendKeys(id, { text: pasted, paste: true, ...rest });
  const before = pasted === '' ? null : await state.paste(id, pasted);
  return before?.ok === false ? before : state.sendKeys(id, { text, ...rest });
}

async function readInput({ stdin }: Pick<CliIo, 'stdin'>): Promise<string> {
  return (await buffer(stdin)).toString();
}

function checkKeys({ flags: { text, paste, enter }, keys }: KeyScene): void {
  if (keys.length === 0 && text === undefined && paste === undefined && enter !== true) {
    const message =
      'there is nothing to type: name keys such as Enter, C-c, Up, F5, or use --text or --paste.';
    throw new TroupeError({ code: 'invalid-option', message });
  }
  const parsed = parseKeys(keys);
  if (!parsed.ok)
    throw new TroupeError({
      code: 'invalid-option',
      message: parsed.error.replace('goes into "text"', 'goes into --text'),
    });
}

function toWhat(keys: readonly string[]): string {
  return keys.length === 0 ? '' : `: ${keys.join(' ')}`;
}
