import type { SpawnFailureCause } from '../../machines/process/context.ts';
import { toSignalCode } from '../config/signal-name.ts';
import type { FinalView } from '../process/process-view.ts';

export { toSignalCode };

/** Exit codes of troupe. An end by a signal gives 128 plus its number, as in a shell. */
export const exitCodes = {
  done: 0,
  /** The answer is no, or the command failed; stderr says why. */
  failed: 1,
  /** The command line, or a file that a person wrote, is invalid. */
  usage: 2,
  /** An agent has answered, and at least one of its calls was denied. */
  denied: 3,
  /** A time limit ended the command, as with timeout(1). */
  timedOut: 124,
  /** Internal error of troupe, or an output that cannot be written. */
  fault: 125,
  /** The command exists but cannot be run. */
  notExecutable: 126,
  /** The command does not exist. */
  notFound: 127,
} as const;

export const exitCodeHelp = `
Exit codes:
  0      done
  1      failed; stderr says why
  2      the command line is invalid
  3      exec: the agent answered, but one of its calls was denied
  124    a time limit ended the command
  125    internal error of troupe
  126    the command cannot be run
  127    the command does not exist
  128+n  ended by signal n (130: Ctrl-C)
run and wait end with the command's own exit code.`;

/**
 * Returns the exit code of a program that runs this process in its place: that of the process, or what a shell would return. 124 if a
 * time limit ended the process, whatever its own code; 125 if its end is unknown or it was cancelled before its start.
 */
export function toProcessExitCode({ reason, exit }: Pick<FinalView, 'reason' | 'exit'>): number {
  switch (reason.type) {
    case 'exited':
      return reason.code;
    case 'signalled':
    case 'outOfMemory':
    case 'fileTooLarge':
      return toSignalCode(reason.signal);
    case 'killed':
      return exit?.code ?? toSignalCode(exit?.signal ?? reason.signal);
    case 'timed_out':
      return exitCodes.timedOut;
    case 'spawnFailed':
      return spawnFailureCodes[reason.cause];
    case 'cancelled':
    case 'lost':
      return exitCodes.fault;
  }
}

/** Exit codes for commands that did not start, as in env(1) and shells. */
const spawnFailureCodes: Readonly<Record<SpawnFailureCause, number>> = {
  'missing-program': exitCodes.notFound,
  'no-permission': exitCodes.notExecutable,
  'arguments-too-long': exitCodes.notExecutable,
  other: exitCodes.notExecutable,
  'missing-cwd': exitCodes.fault,
  'too-many-files': exitCodes.fault,
  'out-of-processes': exitCodes.fault,
};
