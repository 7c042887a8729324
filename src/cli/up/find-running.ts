import { relative } from 'node:path';
import { isFinal } from '../../../machines/process/view.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import type { SeenProcess, StateDirectory } from '../../control/state-directory.ts';
import type { CliIo } from '../cli-io.ts';
import { toProgramName } from '../program-name.ts';
import { toStackOwner } from './find-stack-file.ts';

/** What of a file's processes is alive, whichever program started them, in the order of their start. */
export async function findRunning(
  file: string,
  state: StateDirectory,
): Promise<{ readonly running: readonly SeenProcess[]; readonly warnings: readonly string[] }> {
  const { processes, warnings } = await state.list();
  const owner = toStackOwner(file);
  const running = processes
    .filter(({ view }) => view.owner === owner && !isFinal(view.status))
    .toSorted((a, b) => a.view.createdAt - b.view.createdAt);
  return { running, warnings };
}

/** @throws TroupeError `duplicate` where the stack is up already. */
export async function refuseSecond(
  file: string,
  { state, io }: { readonly state: StateDirectory; readonly io: Pick<CliIo, 'cwd' | 'env'> },
): Promise<void> {
  const { running } = await findRunning(file, state);
  if (running.length === 0) return;
  const names = running.map(({ view }) => view.label ?? view.id).join(', ');
  const program = toProgramName(io.env);
  const shown = relative(io.cwd, file);
  const message = `${shown} is up already: ${names}. To stop it first: ${program} down ${shown}`;
  throw new TroupeError({ code: 'duplicate', message });
}
