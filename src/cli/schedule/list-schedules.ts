import { formatDuration } from '../../config/format-duration.ts';
import type { SeenSchedule } from '../../state-directory/state-directory.ts';
import { printLines, printNote } from '../cli-io.ts';
import { exitCodes } from '../exit-codes.ts';
import { toClockTime } from '../render/local-time.ts';
import { createPage } from '../render/page.ts';
import { toVisible } from '../render/printable.ts';
import { type Column, renderTable } from '../render/table.ts';
import { type VerbInput, withState } from '../with-state.ts';
import type { ScheduleFlags } from './add-schedule.ts';

const columns: readonly Column<SeenSchedule>[] = [
  { heading: 'ID', cell: ({ id }) => toVisible(id) },
  { heading: 'NEXT', cell: ({ nextAt }) => toClockTime(nextAt) },
  {
    heading: 'EVERY',
    cell: ({ everyMs }) => (everyMs === null ? 'once' : formatDuration(everyMs)),
    dropPriority: 1,
  },
  { heading: 'OWNER', cell: ({ owner }) => toVisible(owner), dropPriority: 3 },
  { heading: 'PROCESS', cell: ({ processId }) => toVisible(processId ?? '–'), dropPriority: 2 },
  { heading: 'MESSAGE', cell: ({ message }) => toVisible(message) },
];

function under({ answered, keeper }: SeenSchedule): readonly string[] {
  if (answered) return [];
  return keeper === 'dead'
    ? ['└ nobody keeps it now: the next supervisor of its owner goes on with it']
    : ['└ its supervisor does not answer: as last written down'];
}

/** Prints what is to be told later, the next one first; what could not be read is told on stderr. @returns the exit code. */
export function listSchedules(
  scene: VerbInput<Pick<ScheduleFlags, 'owner' | 'json' | 'quiet' | 'stateDir'>>,
): Promise<number> {
  const { flags, io } = scene;
  return withState(scene, async (state) => {
    const { schedules, warnings } = await state.schedules(
      flags.owner === undefined ? {} : { owner: flags.owner },
    );
    if (flags.json === true) printLines(io, JSON.stringify(schedules));
    else if (flags.quiet === true) printLines(io, ...schedules.map(({ id }) => id));
    else if (schedules.length === 0) printLines(io, 'No schedules');
    else {
      const page = createPage(io.stdout, { maxWidth: Number.POSITIVE_INFINITY });
      printLines(io, ...renderTable({ rows: schedules, columns, under }, page).flat());
    }
    for (const warning of warnings) printNote(io, warning);
    return exitCodes.done;
  });
}
