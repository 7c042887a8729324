import { findProcess } from '../find-process.ts';
import type { ToolContext } from '../tool.ts';
import type { Outcome } from './outcome.ts';

/** Watches come with a later version; their tools have their final shape already. */
export function watchProcess({ id, instead }: { id: string; instead: string }, context: ToolContext) {
  const found = findProcess(id, context);
  if ('ok' in found) return found;
  return { ok: false, error: `Watches are not available yet. ${instead}`, worked: true } as const;
}

/** There never is one to end. */
export function unwatchProcess({ id }: { id: string }, context: ToolContext): Outcome<string> {
  const found = findProcess(id, context);
  if ('ok' in found) return found;
  return { ok: true, value: `Process ${id} is not watched.` };
}
