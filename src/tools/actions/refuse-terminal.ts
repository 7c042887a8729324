import { findProcess } from '../find-process.ts';
import type { ToolContext } from '../tool.ts';
import type { Outcome } from './outcome.ts';

/** The answer of what needs a terminal. `instead` says what to do, in the words of the tool that is used. */
export function refuseTerminal(
  { id, instead }: { id: string; instead: string },
  context: ToolContext,
): Outcome<never> {
  const found = findProcess(id, context);
  if ('ok' in found) return found;
  const { mode } = found.view();
  const error = `Process ${id} has no terminal (it runs as "${mode}"). ${instead}`;
  return { ok: false, error, worked: true };
}
