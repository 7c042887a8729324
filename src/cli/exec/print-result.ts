import type { AgentResult } from '../../agents/agent.ts';
import { type CliIo, complain, note, say } from '../cli-io.ts';
import { toPrintable } from '../render/printable.ts';

/**
 * In JSON the result is all that stands on stdout; as text, the answer is, and an error goes to stderr. A terminal gets nothing
 * that it would obey; a file or a pipe gets the answer as it is.
 */
export function printResult(
  result: AgentResult,
  { format, io }: { readonly format: 'text' | 'json'; readonly io: CliIo },
): void {
  if (format === 'json') say(io, JSON.stringify(result));
  else if (!result.ok) complain(io, result.error);
  else {
    say(io, (io.stdout.isTTY ? toPrintable(result.data) : result.data).trimEnd());
    if (result.note !== undefined) note(io, result.note);
  }
}
