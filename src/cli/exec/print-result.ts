import type { AgentResult } from '../../agents/agent.ts';
import { type CliIo, complain, say } from '../cli-io.ts';

/** In JSON the result is all that stands on stdout; as text, the answer is, and an error goes to stderr. */
export function printResult(
  result: AgentResult,
  { format, io }: { readonly format: 'text' | 'json'; readonly io: CliIo },
): void {
  if (format === 'json') say(io, JSON.stringify(result));
  else if (result.ok) say(io, result.data.trimEnd());
  else complain(io, result.error);
}
