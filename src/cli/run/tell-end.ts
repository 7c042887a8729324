import { describeEnd } from '../../process/describe-end.ts';
import type { FinalView } from '../../process/process-view.ts';
import { describeSuspects } from '../../spawn/tree/suspects.ts';
import { printError, printNote } from '../cli-io.ts';
import { toProcessName } from '../render/process-name.ts';
import { adviseOnCommand } from './read-command.ts';
import type { RunOrder } from './run-order.ts';

/**
 * What the exit code cannot say: a failed start, a time limit, and what may still run. The ends that a command chose itself, and those that a
 * person ordered, need no words.
 */
export function tellEnd(
  end: FinalView,
  { words, isShell, io }: Pick<RunOrder, 'words' | 'isShell' | 'io'>,
): void {
  const { reason, exit, suspects } = end;
  if (reason.type === 'spawnFailed') {
    printError(io, reason.message, ...adviseOnCommand({ words, isShell }));
  } else if (reason.type === 'timedOut' || reason.type === 'lost') {
    printError(io, `${toProcessName(end)} ${describeEnd(reason, exit)}.`);
  }
  if (suspects.length > 0) printNote(io, describeSuspects(suspects));
}
