import { findProcess } from '../find-process.ts';
import { toRevealed } from '../process-summary.ts';
import type { ToolContext } from '../tool.ts';
import { readScreen, type ShownScreen } from './look-at.ts';
import type { Outcome } from './outcome.ts';
import { refuseTerminal, type TerminalWords } from './terminal-words.ts';

/** What the terminal of a process shows, or showed last. */
export async function captureScreen(
  { id, scrollbackLines, words }: { id: string; scrollbackLines: number; words: TerminalWords },
  context: ToolContext,
): Promise<Outcome<ShownScreen>> {
  const found = findProcess(id, context);
  if ('ok' in found) return found;
  const shown = await readScreen(found, { scrollbackLines });
  if ('ok' in shown) return refuseTerminal(found, { refusal: shown, instead: words.read });
  return { ok: true, value: shown, reveals: toRevealed(shown.view) };
}
