import type { SeenProcess, StateDirectory } from '../../state-directory/state-directory.ts';
import { type CliIo, printError, printNote } from '../cli-io.ts';
import { findProcess } from '../find-process.ts';
import { toProgramName } from '../program-name.ts';

export interface Chosen {
  /** In the order in which they were named, each once. */
  readonly processes: readonly SeenProcess[];
  /** The words that name none, or more than one. */
  readonly missed: readonly { readonly word: string; readonly error: string }[];
  /** What was hard to read; it may be why one was not found. */
  readonly warnings: readonly string[];
}

/** Finds processes as a person names them: by id, label, or the beginning of either. */
export async function chooseProcesses(
  words: readonly string[],
  { state, io }: { readonly state: StateDirectory; readonly io: Pick<CliIo, 'env'> },
): Promise<Chosen> {
  const { processes, warnings } = await state.list();
  const views = processes.map(({ view }) => view);
  const listing = `${toProgramName(io.env)} ps -a`;
  const chosen = new Set<SeenProcess>();
  const missed: { word: string; error: string }[] = [];
  for (const word of words) {
    const found = findProcess(word, { views, listing });
    const seen = found.ok ? processes.find(({ view }) => view === found.view) : undefined;
    if (seen !== undefined) chosen.add(seen);
    else if (!found.ok) missed.push({ word, error: found.error });
  }
  return { processes: [...chosen], missed, warnings };
}

/** Says which words name no process, and what was hard to read. */
export function printMissed({ missed, warnings }: Chosen, io: CliIo): void {
  for (const { error } of missed) printError(io, error);
  if (missed.length > 0) for (const warning of warnings) printNote(io, warning);
}

/** The one process that is meant, or `null` after saying why there is none. */
export async function chooseProcess(
  word: string,
  scene: { readonly state: StateDirectory; readonly io: CliIo },
): Promise<SeenProcess | null> {
  const chosen = await chooseProcesses([word], scene);
  printMissed(chosen, scene.io);
  return chosen.processes[0] ?? null;
}
