import type { Command } from '@commander-js/extra-typings';
import { toErrorText } from '../../config/error-text.ts';
import { formatDuration } from '../../config/format-duration.ts';
import { nearest } from '../../config/nearest.ts';
import { quote } from '../../config/quote.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import type { AddedSchedule, SeenSchedule, StateDirectory } from '../../state-directory/state-directory.ts';
import { printError, printLines, printNote } from '../cli-io.ts';
import { exitCodes } from '../exit-codes.ts';
import { chooseProcess } from '../find-process.ts';
import { parseDuration } from '../flag-values.ts';
import { toClockTime } from '../render/local-time.ts';
import { createPage } from '../render/page.ts';
import { toVisible } from '../render/printable.ts';
import { type Column, renderTable } from '../render/table.ts';
import { addStateFlags, type DefineVerb, type FlagsOf, idHelp, type StateFlags } from '../verb.ts';
import { type VerbInput, withState } from '../with-state.ts';

const addAddFlags = (command: Command) =>
  addStateFlags(
    command
      .argument('<message...>', 'the words of the reminder')
      .option('--every <duration>', 'repeatedly: 60s, 5m')
      .option('--after <duration>', 'once')
      .option('--process <process>', idHelp)
      .option('--owner <owner>', 'the agent (the owner of the process, or of the supervisor)')
      .option('--supervisor <supervisor>', 'the supervisor that keeps it, if there are several'),
    { json: 'print it as one JSON object', quiet: 'print only its id' },
  );

const addListFlags = (command: Command) =>
  addStateFlags(command.option('--owner <owner>', 'only those of one owner'), {
    json: 'print one JSON array',
    quiet: 'print only ids',
  });

/** Defines `troupe schedule add`, `list` and `cancel`. */
export const define: DefineVerb = (command, { name, io, end }) => {
  command
    .description('Reminds an agent later, once or repeatedly.')
    .usage('<command> [options]')
    .helpCommand(false)
    .addHelpText(
      'after',
      `
The agent's supervisor delivers the message, as it delivers the end of a
process. Name a process of that agent, or the agent as --owner: a process
started from a shell belongs to none. See: ${name} schedule <command> --help

Examples:
  ${name} schedule add --every 60s --process tool_k3m9xq2p 'See how it goes.'
  ${name} schedule add --after 10m --owner assistant_1 'Write the report.'
  ${name} schedule cancel $(${name} schedule list -q)`,
    );
  addAddFlags(command.command('add'))
    .description('Adds a schedule and prints its id. It ends with its process, if it has one.')
    .action(async (words, flags) => end(await addSchedule({ words, flags, io })));
  addListFlags(command.command('list'))
    .description('Lists schedules, the next one first.')
    .action(async (flags) => end(await listSchedules({ flags, io })));
  addStateFlags(command.command('cancel').argument('<schedule...>', 'ids, as list prints them'), {
    json: 'print one JSON array',
    quiet: 'print only errors',
  })
    .description('Cancels schedules.')
    .action(async (ids, flags) => end(await cancelSchedules({ ids, flags, io })));
};

type AddFlags = FlagsOf<typeof addAddFlags>;

/**
 * Adds a schedule and prints its id. @returns the exit code.
 *
 * @throws TroupeError `invalid-option`; `unreachable` if no supervisor can keep it.
 */
export function addSchedule(
  input: VerbInput<AddFlags> & { readonly words: readonly string[] },
): Promise<number> {
  const { flags, io, words } = input;
  const when = parseWhen(flags);
  const { owner, supervisor: supervisorId } = flags;
  return withState(input, async (state) => {
    const chosen = flags.process === undefined ? null : await chooseProcess(flags.process, { state, io });
    if (flags.process !== undefined && chosen === null) return exitCodes.failed;
    const schedule = await state.schedule({
      ...when,
      message: words.join(' '),
      ...(chosen !== null && { process: chosen.view.id, owner: chosen.view.owner }),
      ...(owner !== undefined && { owner }),
      ...(supervisorId !== undefined && { supervisorId }),
    });
    if (schedule.isHeard === false) printNote(io, describeUnheard(schedule));
    if (flags.json === true) printLines(io, JSON.stringify(schedule));
    else printLines(io, flags.quiet === true ? schedule.id : `${schedule.id}: ${describe(schedule)}`);
    return exitCodes.done;
  });
}

function parseWhen({ every, after }: AddFlags): { every: number } | { after: number } {
  if (every !== undefined && after === undefined) return { every: parseDuration(every, '--every') };
  if (after !== undefined && every === undefined) return { after: parseDuration(after, '--after') };
  const message = 'give either --every or --after, such as --every 60s or --after 10m.';
  throw new TroupeError({ code: 'invalid-option', message });
}

/** Warns that the message waits until an agent listens, which may be intended. */
function describeUnheard({ owner, supervisorId }: AddedSchedule): string {
  const waiting = `no agent listens as ${quote(owner)} at supervisor ${supervisorId} now; the message waits there until one does`;
  return `${waiting}. To remind another agent, name it with --owner, or one of its processes with --process.`;
}

function describe({ owner, everyMs, nextAt }: SeenSchedule): string {
  const again = everyMs === null ? 'once' : `every ${formatDuration(everyMs)}`;
  return `${owner} is reminded ${again}, next at ${toClockTime(nextAt)}.`;
}

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

/** Prints schedules, the next one first; warnings about unreadable ones go to stderr. @returns the exit code. */
export function listSchedules(input: VerbInput<FlagsOf<typeof addListFlags>>): Promise<number> {
  const { flags, io } = input;
  return withState(input, async (state) => {
    const { schedules, warnings } = await state.schedules(
      flags.owner === undefined ? {} : { owner: flags.owner },
    );
    if (flags.json === true) printLines(io, JSON.stringify(schedules));
    else if (flags.quiet === true) printLines(io, ...schedules.map(({ id }) => id));
    else if (schedules.length === 0) printLines(io, 'No schedules');
    else {
      const page = createPage(io.stdout, { maxWidth: Number.POSITIVE_INFINITY });
      printLines(io, ...renderTable({ rows: schedules, columns, under: toRemark }, page).flat());
    }
    for (const warning of warnings) printNote(io, warning);
    return exitCodes.done;
  });
}

function toRemark({ answered, keeper }: SeenSchedule): readonly string[] {
  if (answered) return [];
  return keeper === 'dead'
    ? ['└ its supervisor has ended: the next supervisor of its owner adopts it']
    : ['└ its supervisor does not answer: as last recorded'];
}

/** Result of a cancellation; `error` if no supervisor could be reached. */
interface Outcome {
  readonly id: string;
  readonly cancelled: boolean;
  readonly error?: string;
}

/** Cancels schedules by their ids. @returns the exit code. */
export function cancelSchedules(
  input: VerbInput<StateFlags> & { readonly ids: readonly string[] },
): Promise<number> {
  const { flags, io } = input;
  return withState(input, async (state) => {
    const known = (await state.schedules()).schedules.map(({ id }) => id);
    const outcomes: Outcome[] = [];
    for (const id of input.ids) outcomes.push(await cancel(id, state));
    if (flags.json === true) printLines(io, JSON.stringify(outcomes));
    for (const { id, cancelled, error } of flags.json === true ? [] : outcomes) {
      if (error !== undefined) printError(io, error);
      else if (!cancelled) printError(io, `there is no schedule ${quote(id)}. ${toHint(id, known)}`);
      else if (flags.quiet !== true) printLines(io, `${id} is cancelled.`);
    }
    return outcomes.every(({ cancelled }) => cancelled) ? exitCodes.done : exitCodes.failed;
  });
}

async function cancel(id: string, state: StateDirectory): Promise<Outcome> {
  try {
    return { id, cancelled: await state.unschedule(id) };
  } catch (error) {
    // One failure does not stop the cancellation of the others.
    if (!(error instanceof TroupeError)) throw error;
    return { id, cancelled: false, error: toErrorText(error) };
  }
}

function toHint(id: string, known: readonly string[]): string {
  const meant = nearest(id, known);
  if (meant !== null) return `Did you mean ${meant}?`;
  return known.length === 0 ? 'There are none.' : `There are: ${known.join(', ')}.`;
}
