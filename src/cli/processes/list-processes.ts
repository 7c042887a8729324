import { hasLiveMembers } from '../../process/process-view.ts';
import type { SeenProcess } from '../../state-directory/state-directory.ts';
import { printLines, printNote } from '../cli-io.ts';
import { exitCodes } from '../exit-codes.ts';
import { createPage } from '../render/page.ts';
import { toPrintable } from '../render/printable.ts';
import { renderProcessTable } from '../render/process-table.ts';
import type { StateFlags } from '../verb.ts';
import { type VerbInput, withState } from '../with-state.ts';

export interface ListFlags extends StateFlags {
  /** Also those that have ended and left nothing behind. */
  readonly all?: boolean;
}

/** Prints the processes of a state directory; what could not be read is told on stderr. @returns the exit code. */
export function listProcesses(scene: VerbInput<ListFlags>): Promise<number> {
  const { flags, io } = scene;
  return withState(scene, async (state) => {
    const { processes, warnings } = await state.list({ onlyLive: flags.all !== true });
    const shown = sortForReading(processes, flags);
    printLines(io, ...toLines(shown, { ...scene, path: state.path }));
    for (const warning of warnings) printNote(io, warning);
    return exitCodes.done;
  });
}

/** Live ones first; of the ended ones the newest last, where a reader's eye is. Ended ones with live leftovers are always among them. */
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
  shown: readonly SeenProcess[],
  { flags, io, path }: VerbInput<ListFlags> & { readonly path: string },
): readonly string[] {
  if (flags.json === true) return [JSON.stringify(shown.map(toJson))];
  if (flags.quiet === true) return shown.map(({ view }) => toPrintable(view.id));
  if (shown.length === 0) return [describeEmptyList({ path, all: flags.all === true })];
  return renderProcessTable(shown, createPage(io.stdout, { maxWidth: Number.POSITIVE_INFINITY }));
}

/** What an empty list says: what is known, since what left all ties behind may run unseen. */
export function describeEmptyList({ path, all }: { readonly path: string; readonly all: boolean }): string {
  return `No ${all ? '' : 'live '}processes known in ${toPrintable(path)}`;
}

/** The view with what is known of its supervisor beside it. */
export function toJson({ view, supervisorId, answered }: SeenProcess): object {
  return { ...view, supervisorId, answered };
}
