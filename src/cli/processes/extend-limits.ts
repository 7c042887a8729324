import { formatDuration } from '../../config/format-duration.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import type { LimitChanges } from '../../process/process-handle.ts';
import { printError, printLines } from '../cli-io.ts';
import { exitCodes } from '../exit-codes.ts';
import { chooseProcess } from '../find-process.ts';
import { parseDuration } from '../flag-values.ts';
import { toProcessName } from '../render/process-text.ts';
import type { StateFlags } from '../verb.ts';
import { type VerbInput, withState } from '../with-state.ts';

export interface ExtendFlags extends StateFlags {
  readonly timeout?: string;
  readonly maxTime?: string;
  readonly maxBackground?: string;
}

const limits = [
  { flag: 'timeout', option: '--timeout', name: 'timeout' },
  { flag: 'maxTime', option: '--max-time', name: 'maxExecutionTime' },
  { flag: 'maxBackground', option: '--max-background', name: 'maxBackgroundTime' },
] as const;

/** Sets time limits of a process that runs. @returns the exit code. */
export function extendLimits(scene: VerbInput<ExtendFlags> & { readonly word: string }): Promise<number> {
  const { flags, io } = scene;
  const changes = toChanges(flags);
  return withState(scene, async (state) => {
    const chosen = await chooseProcess(scene.word, { state, io });
    if (chosen === null) return exitCodes.failed;
    const { view } = chosen;
    const changed = await state.changeLimits(view.id, Object.fromEntries(changes));
    if (flags.json === true) printLines(io, JSON.stringify({ id: view.id, changed }));
    else if (!changed) printError(io, `${toProcessName(view)} has ended: it has no limits any more.`);
    else if (flags.quiet !== true)
      printLines(io, `${toProcessName(view)}: ${changes.map(describe).join(', ')}.`);
    return changed ? exitCodes.done : exitCodes.failed;
  });
}

type Change = readonly [name: keyof LimitChanges, limitMs: number];

function toChanges(flags: ExtendFlags): readonly Change[] {
  const changes = limits.flatMap(({ flag, option, name }): Change[] => {
    const text = flags[flag];
    return text === undefined ? [] : [[name, text === 'none' ? 0 : parseDuration(text, option)]];
  });
  if (changes.length > 0) return changes;
  throw new TroupeError({
    code: 'invalid-option',
    message: `No limit was named: give ${limits.map(({ option }) => option).join(', ')} a duration, or "none".`,
  });
}

function describe([name, limitMs]: Change): string {
  return `${name} is ${limitMs === 0 ? 'off' : formatDuration(limitMs)}`;
}
