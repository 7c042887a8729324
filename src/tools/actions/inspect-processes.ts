import { isEnded, type ProcessView } from '../../process/process-view.ts';
import { findProcess } from '../find-process.ts';
import { toRevealed } from '../process-summary.ts';
import type { ToolContext } from '../tool.ts';
import type { Outcome } from './outcome.ts';

/**
 * Lists the processes of the owner and its descendants: live ones in order of start, then ended ones that are still
 * known.
 */
export function listProcesses(
  { includeEnded }: { includeEnded: boolean },
  { supervisor, owner }: ToolContext,
): Outcome<readonly ProcessView[]> {
  const views = supervisor.list({ owner, children: true }).filter((view) => includeEnded || !isEnded(view));
  return { ok: true, value: views, reveals: toRevealed(...views) };
}

export async function checkProcess(
  { id }: { id: string },
  context: ToolContext,
): Promise<Outcome<ProcessView>> {
  const found = findProcess(id, context);
  if ('ok' in found) return found;
  // The view may be several seconds behind.
  await found.awaitedInput();
  const view = found.view();
  return { ok: true, value: view, reveals: toRevealed(view) };
}
