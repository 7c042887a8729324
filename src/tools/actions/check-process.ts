import type { ProcessView } from '../../process/process-view.ts';
import { findProcess } from '../find-process.ts';
import { toRevealed } from '../process-summary.ts';
import type { ToolContext } from '../tool.ts';
import type { Outcome } from './outcome.ts';

export async function checkProcess(
  { id }: { id: string },
  context: ToolContext,
): Promise<Outcome<ProcessView>> {
  const found = findProcess(id, context);
  if ('ok' in found) return found;
  // What the view shows of that may be some seconds old.
  await found.awaitedInput();
  const view = found.view();
  return { ok: true, value: view, reveals: toRevealed(view) };
}
