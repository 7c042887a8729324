import type { Command } from '@commander-js/extra-typings';
import { formatDuration } from '../../config/format-duration.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import type { LimitChanges } from '../../process/process-handle.ts';
import { printError, printLines } from '../cli-io.ts';
import { exitCodes } from '../exit-codes.ts';
import { chooseProcess } from '../find-process.ts';
import { parseLimit } from '../flag-values.ts';
import { toProcessName } from '../render/process-text.ts';
import { addStateFlags, type DefineVerb, type FlagsOf, idHelp } from '../verb.ts';
import { type VerbInput, withState } from '../with-state.ts';

const addFlags = (command: Command) =>
  addStateFlags(
    command
      .argument('<id>', idHelp)
      .option('--timeout <duration>', 'how long a caller waits for it in the foreground')
      .option('--max-time <duration>', 'kill it after this time')
      .option('--max-background-time <duration>', 'kill it after this time in the background'),
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
limit. Limits count from the start, or from the move to the background. If both
are given, --max-time holds in the foreground only.

Examples:
  ${name} extend build --max-time 2h
  ${name} extend server --max-time none`,
    )
    .action(async (word, flags) => end(await extendLimits({ word, flags, io })));
};

const limits = [
  { flag: 'timeout', option: '--timeout', names: ['timeout'] },
  { flag: 'maxTime', option: '--max-time', names: ['maxExecutionTime', 'maxBackgroundTime'] },
  { flag: 'maxBackgroundTime', option: '--max-background-time', names: ['maxBackgroundTime'] },
] as const;

/** Changes time limits of a running process. @returns the exit code. @throws TroupeError `invalid-option` */
export function extendLimits(input: VerbInput<ExtendFlags> & { readonly word: string }): Promise<number> {
  const { flags, io, word } = input;
  const changes = parseChanges(flags);
  return withState(input, async (state) => {
    const chosen = await chooseProcess(word, { state, io });
    if (chosen === null) return exitCodes.failed;
    const { view } = chosen;
    const limitChanges: LimitChanges = Object.assign(
      {},
      ...changes.flatMap(({ names, limitMs }) => names.map((name) => ({ [name]: limitMs }))),
    );
    const changed = await state.changeLimits(view.id, limitChanges);
    if (flags.json === true) printLines(io, JSON.stringify({ id: view.id, changed }));
    else if (!changed) printError(io, `${toProcessName(view)} has ended and has no limits to change.`);
    else if (flags.quiet !== true)
      printLines(io, `${toProcessName(view)}: ${changes.map(describeChange).join(', ')}.`);
    return changed ? exitCodes.done : exitCodes.failed;
  });
}

interface Change {
  readonly option: string;
  /** Later changes win. */
  readonly names: readonly (keyof LimitChanges)[];
  readonly limitMs: number;
}

function parseChanges(flags: ExtendFlags): readonly Change[] {
  const changes = limits.flatMap(({ flag, option, names }): Change[] => {
    const text = flags[flag];
    return text === undefined ? [] : [{ option, names, limitMs: parseLimit(text, option) }];
  });
  if (changes.length > 0) return changes;
  throw new TroupeError({
    code: 'invalid-option',
    message: `No limit was named: give ${limits.map(({ option }) => option).join(', ')} a duration, or "none".`,
  });
}

function describeChange({ option, limitMs }: Change): string {
  return `${option} is ${limitMs === 0 ? 'off' : formatDuration(limitMs)}`;
}
