import type { ProcessView } from '../../process/process-view.ts';
import { findProcess } from '../find-process.ts';
import { toRevealed } from '../process-summary.ts';
import type { ToolContext } from '../tool.ts';
import type { Outcome } from './outcome.ts';

export function checkProcess({ id }: { id: string }, context: ToolContext): Outcome<ProcessView> {
  const found = findProcess(id, context);
  if ('ok' in found) return found;
  const view = found.view();
  return { ok: true, value: view, reveals: toRevealed(view) };
}
