import { type CliIo, printNote } from './cli-io.ts';
import { toProgramName } from './program-name.ts';

/** How to go on with a process in the background. */
export function printBackgroundHints(id: string, io: CliIo): void {
  const name = toProgramName(io.env);
  printNote(io, `look at it: ${name} logs -f ${id}`);
  printNote(io, `end it:     ${name} kill ${id}`);
}
