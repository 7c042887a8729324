import type { TerminalSize } from '../../../machines/process/terminal.ts';
import { findProcess } from '../find-process.ts';
import type { ToolContext } from '../tool.ts';
import type { Outcome } from './outcome.ts';
import { refuseTerminal, type TerminalWords } from './terminal-words.ts';

/** Gives the terminal of a process another size. */
export async function resizeTerminal(
  { id, size, words }: { id: string; size: TerminalSize; words: TerminalWords },
  context: ToolContext,
): Promise<Outcome<string>> {
  const found = findProcess(id, context);
  if ('ok' in found) return found;
  const result = await found.resize(size);
  if (!result.ok) return refuseTerminal(found, { refusal: result, instead: words.read });
  return { ok: true, value: `Its terminal has ${size.columns} columns and ${size.rows} rows now.` };
}
