import type { Command } from '@commander-js/extra-typings';
import { formatDuration } from '../../config/format-duration.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import type { LimitChanges } from '../../process/process-handle.ts';
import { printError, printLines } from '../cli-io.ts';
import { exitCodes } from '../exit-codes.ts';
import { chooseProcess } from '../find-process.ts';
import { parseDuration } from '../flag-values.ts';
import { toProcessName } from '../render/process-text.ts';
import { addStateFlags, type DefineVerb, type FlagsOf, idHelp } from '../verb.ts';
import { type VerbInput, withState } from '../with-state.ts';

const addFlags = (command: Command) =>
  addStateFlags(
    command
      .argument('<id>', idHelp)
      .option('--timeout <duration>', 'how long a caller waits for it in the foreground')
      .option('--max-time <duration>', 'how long it may run in the foreground')
      .option('--max-background <duration>', 'how long it may run in the background'),
    { json: 'print {"id", "changed"}', quiet: 'print only errors' },
  );

type ExtendFlags = FlagsOf<typeof addFlags>;

/** Defines `troupe extend`. */
export const define: DefineVerb = (command, { name, io, end }) => {
  addFlags(command)
    .description('Changes time limits of a running process.')
    .addHelpText(
      'after',
      `
A duration is 500ms, 30s, 5m, 2h, or a number of seconds; "none" removes a
limit. Limits count from the start, or from the move to the background.

Examples:
  ${name} extend build --max-time 2h
  ${name} extend server --max-background none`,
    )
    .action(async (word, flags) => end(await extendLimits({ word, flags, io })));
};

const limits = [
  { flag: 'timeout', option: '--timeout', name: 'timeout' },
  { flag: 'maxTime', option: '--max-time', name: 'maxExecutionTime' },
  { flag: 'maxBackground', option: '--max-background', name: 'maxBackgroundTime' },
] as const;

/** Changes time limits of a running process. @returns the exit code. @throws TroupeError `invalid-option` */
export function extendLimits(input: VerbInput<ExtendFlags> & { readonly word: string }): Promise<number> {
  const { flags, io, word } = input;
  const changes = parseChanges(flags);
  return withState(input, async (state) => {
    const chosen = await chooseProcess(word, { state, io });
    if (chosen === null) return exitCodes.failed;
    const { view } = chosen;
    const changed = await state.changeLimits(view.id, Object.fromEntries(changes));
    if (flags.json === true) printLines(io, JSON.stringify({ id: view.id, changed }));
    else if (!changed) printError(io, `${toProcessName(view)} has ended and has no limits to change.`);
    else if (flags.quiet !== true)
      printLines(io, `${toProcessName(view)}: ${changes.map(describeChange).join(', ')}.`);
    return changed ? exitCodes.done : exitCodes.failed;
  });
}

type Change = readonly [name: keyof LimitChanges, limitMs: number];

function parseChanges(flags: ExtendFlags): readonly Change[] {
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

function describeChange([name, limitMs]: Change): string {
  return `${name} is ${limitMs === 0 ? 'off' : formatDuration(limitMs)}`;
}
