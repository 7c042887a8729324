import type { ProcessView } from '../process/process-view.ts';
import { type CliIo, printNote, toProgramName } from './cli-io.ts';

/** Prints the commands that follow and end a process in the background. */
export function printBackgroundHints(id: string, io: CliIo): void {
  const name = toProgramName(io.env);
  printNote(io, `follow it: ${name} logs -f ${id}`);
  printNote(io, `end it:    ${name} kill ${id}`);
}

/** Prints which terminal a process got and how to attach to it; nothing if no terminal was requested. */
export function printTerminalHint(
  { id, terminal, lifetime }: Pick<ProcessView, 'id' | 'terminal' | 'lifetime'>,
  { asked, io }: { readonly asked: ProcessView['lifetime']; readonly io: CliIo },
): void {
  if (terminal === null) return;
  if (terminal.type === 'none') return printNote(io, terminal.because);
  const end = lifetime === asked ? '' : ' It ends with the daemon.';
  printNote(io, `${terminal.because}${end} Attach: ${toProgramName(io.env)} attach ${id}`);
}
