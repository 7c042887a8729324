import { relative } from 'node:path';
import type { ProcessView } from '../../process/process-view.ts';
import type { StateDirectory } from '../../state-directory/state-directory.ts';
import { type CliIo, printError, printNote } from '../cli-io.ts';
import { toProgramName } from '../program-name.ts';
import { toProcessName } from '../render/process-name.ts';
import type { StackChanges } from './plan-changes.ts';
import { isStopped, stopMember } from './stop-member.ts';

/** Says what is left alone, what is started again, and what the file has no more. */
export function tellChanges(
  { changed, unchanged, removed }: StackChanges,
  { file, io }: { readonly file: string; readonly io: CliIo },
): void {
  const names = (views: readonly ProcessView[]) => views.map(({ label, id }) => label ?? id).join(', ');
  if (unchanged.length > 0) printNote(io, `up already, as the file says: ${names(unchanged)}`);
  if (changed.length > 0) printNote(io, `changed, so stopped and started again: ${names(changed)}`);
  for (const view of removed) {
    const shown = relative(io.cwd, file);
    const remedy = `${toProgramName(io.env)} kill ${view.id}`;
    printNote(io, `${toProcessName(view)} runs and is not in ${shown} any more; to end it: ${remedy}`);
  }
}

/**
 * Stops what has changed, the last that was started first and each proven gone before the next, and waits for what is just coming up: what
 * is started now may depend on it.
 */
export async function makeRoom(
  { changed, unchanged }: StackChanges,
  { state, io }: { readonly state: StateDirectory; readonly io: CliIo },
): Promise<void> {
  for (const view of changed) {
    const answer = await stopMember(view, state);
    if (!isStopped(answer)) printError(io, answer.message);
  }
  const coming = unchanged.filter((view) => 'ready' in view && view.ready.state === 'waiting');
  for (const { id } of coming) {
    const { end, process } = await state.waitFor(id, { ready: true });
    if (end.type !== 'met') printError(io, `${toProcessName(process)} is not ready.`);
  }
}
