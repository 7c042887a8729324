import type { SeenProcess, StateDirectory } from '../../state-directory/state-directory.ts';
import { toStackOwner } from './find-stack-file.ts';

/** The processes of a file, whichever program started them, in the order of their start; ended ones as far as they are kept. */
export async function findOfStack(
  file: string,
  state: StateDirectory,
): Promise<{ readonly seen: readonly SeenProcess[]; readonly warnings: readonly string[] }> {
  const { processes, warnings } = await state.list();
  const owner = toStackOwner(file);
  const seen = processes
    .filter(({ view }) => view.owner === owner)
    .toSorted((a, b) => a.view.createdAt - b.view.createdAt);
  return { seen, warnings };
}
