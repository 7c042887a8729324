import { formatDuration } from '../../config/format-duration.ts';
import { quote } from '../../config/quote.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import type { AddedSchedule, SeenSchedule } from '../../state-directory/state-directory.ts';
import { printLines, printNote } from '../cli-io.ts';
import { exitCodes } from '../exit-codes.ts';
import { chooseProcess } from '../find-process.ts';
import { parseDuration } from '../flag-values.ts';
import { toClockTime } from '../render/local-time.ts';
import type { StateFlags } from '../verb.ts';
import { type VerbInput, withState } from '../with-state.ts';

export interface ScheduleFlags extends StateFlags {
  readonly every?: string;
  readonly after?: string;
  readonly process?: string;
  readonly owner?: string;
  readonly supervisor?: string;
}

/**
 * Has something told later, once or again and again, and prints the id of that. @returns the exit code.
 *
 * @throws TroupeError `invalid-option`; `unreachable` where nobody could keep it.
 */
export function addSchedule(
  scene: VerbInput<ScheduleFlags> & { readonly words: readonly string[] },
): Promise<number> {
  const { flags, io, words } = scene;
  const when = readWhen(flags);
  const { owner, supervisor: supervisorId } = flags;
  return withState(scene, async (state) => {
    const chosen = flags.process === undefined ? null : await chooseProcess(flags.process, { state, io });
    if (flags.process !== undefined && chosen === null) return exitCodes.failed;
    const schedule = await state.schedule({
      ...when,
      message: words.join(' '),
      ...(chosen !== null && { process: chosen.view.id, owner: chosen.view.owner }),
      ...(owner !== undefined && { owner }),
      ...(supervisorId !== undefined && { supervisorId }),
    });
    if (schedule.isHeard === false) printNote(io, describeSilence(schedule));
    if (flags.json === true) printLines(io, JSON.stringify(schedule));
    else printLines(io, flags.quiet === true ? schedule.id : `${schedule.id}: ${describe(schedule)}`);
    return exitCodes.done;
  });
}

function readWhen({ every, after }: ScheduleFlags): { every: number } | { after: number } {
  if (every !== undefined && after === undefined) return { every: parseDuration(every, '--every') };
  if (after !== undefined && every === undefined) return { after: parseDuration(after, '--after') };
  const message = 'one of --every and --after says when: --every 60s, or --after 10m.';
  throw new TroupeError({ code: 'invalid-option', message });
}

/** It is no mistake: whoever listens first is told. */
function describeSilence({ owner, supervisorId }: AddedSchedule): string {
  const where = `nobody listens as ${quote(owner)} at supervisor ${supervisorId} now, and it waits there until somebody does`;
  return `${where}. Name the agent that is to be told with --owner, or a process of it with --process.`;
}

function describe({ owner, everyMs, nextAt }: SeenSchedule): string {
  const again = everyMs === null ? 'once' : `every ${formatDuration(everyMs)}`;
  return `${owner} is told ${again}, next at ${toClockTime(nextAt)}.`;
}
