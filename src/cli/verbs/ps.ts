import type { Command } from '@commander-js/extra-typings';
import { hasLiveMembers } from '../../process/process-view.ts';
import { createMachineUsage } from '../../readiness/machine-usage.ts';
import type { ProcessUsage } from '../../spawn/tree/tree-usage.ts';
import type { SeenProcess } from '../../state-directory/state-directory.ts';
import { printLines, printNote } from '../cli-io.ts';
import { exitCodes } from '../exit-codes.ts';
import { createPage } from '../render/page.ts';
import { toPrintable } from '../render/printable.ts';
import { renderProcessTable } from '../render/process-table.ts';
import { addStateFlags, type DefineVerb, type FlagsOf } from '../verb.ts';
import { type VerbInput, withState } from '../with-state.ts';

const addFlags = (command: Command) =>
  addStateFlags(
    command
      .option('-a, --all', 'include ended processes')
      .option('-u, --usage', 'show what they use: CPU time, memory, disks, processes, ports'),
    {
      json: 'print one JSON array',
      quiet: 'print only ids',
    },
  );

/** `usage` is `null` for a process that has ended. */
interface MeasuredProcess extends SeenProcess {
  readonly usage?: ProcessUsage | null;
}

export type ListFlags = FlagsOf<typeof addFlags>;

/** Defines `troupe ps`. */
export const define: DefineVerb = (command, { name, io, end }) => {
  addFlags(command)
    .description('Lists the processes of a state directory, whichever program supervises them.')
    .addHelpText(
      'after',
      `
A narrow terminal omits columns. The lines below a process name the tool that
started it, its owner, a supervisor that does not answer, and what it left
behind. An ended process stays listed while anything it left behind is alive.

Examples:
  ${name} ps                    running processes, and leftovers of ended ones
  ${name} ps -a                 ended processes too, the newest last
  ${name} kill -f $(${name} ps -q)
  ${name} ps --json | jq '.[] | select(.status == "backgrounded") | .id'`,
    )
    .action(async (flags) => end(await listProcesses({ flags, io })));
};

/** Prints the processes of a state directory, and unreadable records on stderr. @returns the exit code. */
export function listProcesses(input: VerbInput<ListFlags>): Promise<number> {
  const { flags, io } = input;
  return withState(input, async (state) => {
    const { processes, warnings } = await state.list({ onlyLive: flags.all !== true });
    const sorted = sortForReading(processes, flags);
    const shown = flags.usage === true ? await measure(sorted) : sorted;
    printLines(io, ...toLines(shown, { ...input, path: state.path }));
    for (const warning of warnings) printNote(io, warning);
    return exitCodes.done;
  });
}

async function measure(processes: readonly SeenProcess[]): Promise<readonly MeasuredProcess[]> {
  const usages = await createMachineUsage()(processes.map(({ view }) => view));
  return processes.map((seen) => ({ ...seen, usage: usages.get(seen.view.id) ?? null }));
}

/** Puts live processes first, then ended ones with the newest end last. Ended ones with live leftovers are always included. */
export function sortForReading(
  processes: readonly SeenProcess[],
  { all = false }: Pick<ListFlags, 'all'>,
): readonly SeenProcess[] {
  const live = processes.filter(({ view }) => !('endedAt' in view));
  const ended = processes.filter(({ view }) => 'endedAt' in view && (all || hasLiveMembers(view)));
  return [...live, ...ended.sort((a, b) => endOf(a) - endOf(b))];
}

function endOf({ view }: SeenProcess): number {
  return 'endedAt' in view ? view.endedAt : 0;
}

function toLines(
  shown: readonly MeasuredProcess[],
  { flags, io, path }: VerbInput<ListFlags> & { readonly path: string },
): readonly string[] {
  if (flags.json === true) return [JSON.stringify(shown.map(toJson))];
  if (flags.quiet === true) return shown.map(({ view }) => toPrintable(view.id));
  if (shown.length === 0) return [describeEmptyList({ path, all: flags.all === true })];
  return renderProcessTable(shown, createPage(io.stdout, { maxWidth: Number.POSITIVE_INFINITY }));
}

/** Describes an empty list as what is known, because a process that cut all ties may run unseen. */
export function describeEmptyList({ path, all }: { readonly path: string; readonly all: boolean }): string {
  return `No ${all ? '' : 'live '}processes known in ${toPrintable(path)}`;
}

function toJson({ view, supervisorId, answered, usage }: MeasuredProcess): object {
  return { ...view, supervisorId, answered, ...(usage !== undefined && { usage }) };
}
