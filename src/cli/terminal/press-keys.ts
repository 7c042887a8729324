import { buffer } from 'node:stream/consumers';
import type { WriteResult } from '../../../machines/process/events.ts';
import type { KeyOrder } from '../../config/terminal-options.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import { parseKeys } from '../../spawn/terminal/parse-keys.ts';
import type { StateDirectory } from '../../state-directory/state-directory.ts';
import { type CliIo, printError, printLines } from '../cli-io.ts';
import { exitCodes } from '../exit-codes.ts';
import { chooseProcess } from '../find-process.ts';
import { toProcessName } from '../render/process-text.ts';
import type { StateFlags } from '../verb.ts';
import { type VerbInput, withState } from '../with-state.ts';
import type { TypedPart } from './typing-order.ts';

export interface KeyFlags extends StateFlags {
  readonly enter?: boolean;
}

type KeyScene = VerbInput<KeyFlags> & { readonly word: string; readonly typed: readonly TypedPart[] };

/**
 * Types in the terminal of a process, in the order of `typed`, and Enter at the end. A paste of `-` is what stands on stdin. @returns the exit code.
 *
 * @throws TroupeError `invalid-option`: there is nothing to type, or no such key.
 */
export function pressKeys(scene: KeyScene): Promise<number> {
  const { flags, io } = scene;
  checkKeys(scene);
  return withState(scene, async (state) => {
    const chosen = await chooseProcess(scene.word, { state, io });
    if (chosen === null) return exitCodes.failed;
    const { id } = chosen.view;
    const result = await type(scene, { state, id });
    if (flags.json === true) printLines(io, JSON.stringify({ id, ...result }));
    else if (!result.ok) printError(io, result.error);
    else if (flags.quiet !== true) printLines(io, `Typed in ${toProcessName(chosen.view)}${toWhat(scene)}.`);
    return result.ok ? exitCodes.done : exitCodes.failed;
  });
}

async function type(
  scene: KeyScene,
  { state, id }: { readonly state: StateDirectory; readonly id: string },
): Promise<WriteResult> {
  let bytesWritten = 0;
  for (const order of await toKeyOrders(scene)) {
    const result = await state.sendKeys(id, order);
    bytesWritten += result.bytesWritten;
    if (!result.ok) return { ...result, bytesWritten };
  }
  return { ok: true, bytesWritten };
}

/** As few as keep the order: within one nobody else's keys come in between. */
async function toKeyOrders({ typed, flags, io }: KeyScene): Promise<readonly KeyOrder[]> {
  const orders: { text: string; paste: boolean; keys: string[]; pressEnter: boolean }[] = [];
  for (const part of typed) {
    const last = orders.at(-1);
    if (part.type === 'keys' && last !== undefined) last.keys.push(...part.keys);
    else if (part.type === 'keys')
      orders.push({ text: '', paste: false, keys: [...part.keys], pressEnter: false });
    else {
      const paste = part.type === 'paste';
      const text = paste && part.text === '-' ? await readInput(io) : part.text;
      orders.push({ text, paste, keys: [], pressEnter: false });
    }
  }
  const last = orders.at(-1);
  if (flags.enter !== true) return orders;
  return last === undefined
    ? [{ pressEnter: true }]
    : [...orders.slice(0, -1), { ...last, pressEnter: true }];
}

async function readInput({ stdin }: Pick<CliIo, 'stdin'>): Promise<string> {
  return (await buffer(stdin)).toString();
}

function checkKeys({ flags: { enter }, typed }: KeyScene): void {
  if (typed.length === 0 && enter !== true) {
    const message =
      'there is nothing to type: name keys such as Enter, C-c, Up, F5, or use --text or --paste.';
    throw new TroupeError({ code: 'invalid-option', message });
  }
  const parsed = parseKeys(toKeys(typed));
  if (!parsed.ok)
    throw new TroupeError({
      code: 'invalid-option',
      message: parsed.error.replace('goes into "text"', 'goes into --text'),
    });
}

function toKeys(typed: readonly TypedPart[]): readonly string[] {
  return typed.flatMap((part) => (part.type === 'keys' ? part.keys : []));
}

function toWhat({ typed }: KeyScene): string {
  const keys = toKeys(typed);
  return keys.length === 0 ? '' : `: ${keys.join(' ')}`;
}
