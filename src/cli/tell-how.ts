import type { ProcessView } from '../process/process-view.ts';
import { type CliIo, note } from './cli-io.ts';
import { toProgramName } from './program-name.ts';

/** How to go on with a process in the background. */
export function tellHow({ id, terminal }: Pick<ProcessView, 'id' | 'terminal'>, io: CliIo): void {
  const name = toProgramName(io.env);
  if (terminal?.type === 'terminal') note(io, `sit down:   ${name} attach ${id}`);
  note(io, `look at it: ${name} logs -f ${id}`);
  note(io, `end it:     ${name} kill ${id}`);
}
