import type { ProcessSignal, SpawnFailureCause } from '../../machines/process/context.ts';
import type { FinalView } from '../process/process-view.ts';
import { toSignalNumber } from '../spawn/signal-name.ts';

/** How a command of troupe ends; a signal adds its number to 128, as in a shell. */
export const exitCodes = {
  done: 0,
  /** It was done, and the answer is no; or it could not be done, and stderr says why. */
  failed: 1,
  /** The command line, or a file that a person wrote, is not right. */
  usage: 2,
  /** An agent has answered, and at least one of its calls was denied. */
  denied: 3,
  /** A time limit ended the command, as with timeout(1). */
  timedOut: 124,
  /** A fault of troupe itself, or an output that cannot be written. */
  fault: 125,
  /** There is such a command, and it cannot be run. */
  notExecutable: 126,
  /** There is no such command. */
  notFound: 127,
} as const;

export const exitCodeHelp = `
Exit codes:
  0      done
  1      it did not work; stderr says why
  2      the command line is not right
  3      exec: the agent answered, but a call of it was denied
  124    a time limit ended the command
  125    a fault of troupe itself
  126    the command cannot be run
  127    there is no such command
  128+n  ended by signal n (130: Ctrl-C)
run and wait end with the command's own exit code.`;

/**
 * What a program ends with that stands for this process: its own exit code, or what a shell would give in its place. 124 where a time
 * limit ended it, whatever it said to that; 125 where nobody knows how it ended, or it was not started at all.
 */
export function toProcessExitCode({ reason, exit }: Pick<FinalView, 'reason' | 'exit'>): number {
  switch (reason.type) {
    case 'exited':
      return reason.code;
    case 'signalled':
      return toSignalCode(reason.signal);
    case 'killed':
      return exit?.code ?? toSignalCode(exit?.signal ?? reason.signal);
    case 'timedOut':
      return exitCodes.timedOut;
    case 'spawnFailed':
      return spawnFailureCodes[reason.cause];
    case 'cancelled':
    case 'lost':
      return exitCodes.fault;
  }
}

/** As env(1) and the shells do. */
const spawnFailureCodes: Readonly<Record<SpawnFailureCause, number>> = {
  'missing-program': exitCodes.notFound,
  'no-permission': exitCodes.notExecutable,
  'arguments-too-long': exitCodes.notExecutable,
  other: exitCodes.notExecutable,
  'missing-cwd': exitCodes.fault,
  'too-many-files': exitCodes.fault,
  'out-of-processes': exitCodes.fault,
};

/** A signal without a number here, such as one of another system, counts as 0. */
function toSignalCode(signal: ProcessSignal): number {
  return 128 + (toSignalNumber(signal) ?? 0);
}
