import { createRealClock } from '../../clock/real-clock.ts';
import { formatBytes } from '../../output/cut-text.ts';
import { printLines, printNote } from '../cli-io.ts';
import { exitCodes } from '../exit-codes.ts';
import { showProgress } from '../render/progress-line.ts';
import type { StateFlags } from '../verb.ts';
import { type VerbInput, withState } from '../with-state.ts';

export interface SweepFlags extends StateFlags {
  readonly all?: boolean;
  readonly dryRun?: boolean;
}

/** Forgets processes that have ended, and removes old logs. @returns the exit code. */
export function sweepRecords(scene: VerbInput<SweepFlags>): Promise<number> {
  const { flags, io } = scene;
  const { all = false, dryRun = false } = flags;
  return withState(scene, async (state) => {
    const progress = showProgress({ text: () => 'Sweeping', io, clock: createRealClock() });
    const { warnings, ...swept } = await state.sweep({ all, dryRun }).finally(progress.end);
    for (const warning of warnings) printNote(io, warning);
    if (flags.json === true) printLines(io, JSON.stringify({ ...swept, dryRun }));
    else if (flags.quiet !== true) {
      const { forgotten, logsRemoved, freedBytes } = swept;
      const what = `${count(forgotten, 'ended process', 'es')} and ${count(logsRemoved, 'log', 's')}, ${formatBytes(freedBytes)}`;
      printLines(io, dryRun ? `Would remove ${what}.` : `Removed ${what}.`);
    }
    return exitCodes.done;
  });
}

function count(number: number, noun: string, plural: string): string {
  return `${number} ${noun}${number === 1 ? '' : plural}`;
}
