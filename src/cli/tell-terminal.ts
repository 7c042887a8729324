import type { ProcessView } from '../process/process-view.ts';
import { type CliIo, printNote } from './cli-io.ts';
import { toProgramName } from './program-name.ts';

/** What became of the wish for a terminal, and how to sit down at it; nothing where there was none. */
export function printTerminalHint(
  { id, terminal, lifetime }: Pick<ProcessView, 'id' | 'terminal' | 'lifetime'>,
  { asked, io }: { readonly asked: ProcessView['lifetime']; readonly io: CliIo },
): void {
  if (terminal === null) return;
  if (terminal.type === 'none') return printNote(io, terminal.because);
  const end = lifetime === asked ? '' : ' It ends with the daemon.';
  printNote(io, `${terminal.because}${end} Sit down: ${toProgramName(io.env)} attach ${id}`);
}
