import { type CliIo, note } from './cli-io.ts';
import { toProgramName } from './program-name.ts';

/** How to go on with a process in the background. */
export function tellHow(id: string, io: CliIo): void {
  const name = toProgramName(io.env);
  note(io, `look at it: ${name} logs -f ${id}`);
  note(io, `end it:     ${name} kill ${id}`);
}
