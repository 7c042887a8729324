import type { Command } from '@commander-js/extra-typings';
import { createRealClock } from '../../clock/real-clock.ts';
import { formatBytes } from '../../output/cut-text.ts';
import { printLines, printNote } from '../cli-io.ts';
import { exitCodes } from '../exit-codes.ts';
import { showProgress } from '../render/progress-line.ts';
import { addStateFlags, type DefineVerb, type FlagsOf } from '../verb.ts';
import { type VerbInput, withState } from '../with-state.ts';

const addFlags = (command: Command) =>
  addStateFlags(
    command
      .option('--all', 'include processes that ended only just now')
      .option('-n, --dry-run', 'only print what would be removed'),
    { json: 'print {"forgotten", "logsRemoved", "freedBytes", "dryRun"}', quiet: 'print only errors' },
  );

/** Defines `troupe clean`. */
export const define: DefineVerb = (command, { name, io, end }) => {
  addFlags(command)
    .description('Forgets processes that ended some time ago, and removes their logs.')
    .addHelpText(
      'after',
      `
Running processes and unreadable records are never touched.

Examples:
  ${name} clean --all -n        what would be removed
  ${name} clean --all`,
    )
    .action(async (flags) => end(await cleanRecords({ flags, io })));
};

/** Forgets ended processes and removes their logs. @returns the exit code. */
export function cleanRecords(input: VerbInput<FlagsOf<typeof addFlags>>): Promise<number> {
  const { flags, io } = input;
  const { all = false, dryRun = false } = flags;
  return withState(input, async (state) => {
    const progress = showProgress({ text: () => 'Cleaning', io, clock: createRealClock() });
    const { warnings, ...removed } = await state.sweep({ all, dryRun }).finally(progress.end);
    for (const warning of warnings) printNote(io, warning);
    if (flags.json === true) printLines(io, JSON.stringify({ ...removed, dryRun }));
    else if (flags.quiet !== true) {
      const { forgotten, logsRemoved, freedBytes } = removed;
      const what = `${count(forgotten, 'ended process', 'es')} and ${count(logsRemoved, 'log', 's')}, ${formatBytes(freedBytes)}`;
      printLines(io, dryRun ? `Would remove ${what}.` : `Removed ${what}.`);
    }
    return exitCodes.done;
  });
}

function count(number: number, noun: string, plural: string): string {
  return `${number} ${noun}${number === 1 ? '' : plural}`;
}
