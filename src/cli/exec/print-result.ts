import type { AgentResult } from '../../agents/agent.ts';
import { type CliIo, printError, printLines, printNote } from '../cli-io.ts';
import { toPrintable } from '../render/printable.ts';

/**
 * In JSON the result is all that stands on stdout; as text, the answer is, and an error goes to stderr. A terminal gets nothing
 * that it would obey; a file or a pipe gets the answer as it is.
 */
export function printResult(
  result: AgentResult,
  { format, io }: { readonly format: 'text' | 'json'; readonly io: CliIo },
): void {
  if (format === 'json') printLines(io, JSON.stringify(result));
  else if (!result.ok) printError(io, result.error);
  else {
    printLines(io, (io.stdout.isTTY ? toPrintable(result.data) : result.data).trimEnd());
    if (result.note !== undefined) printNote(io, result.note);
  }
}
