import type { ProcessSignal, SpawnFailureCause } from '../../machines/process/context.ts';
import type { FinalView } from '../process/process-view.ts';
import { toSignalNumber } from '../spawn/signal-name.ts';
import { exitCodes } from './exit-code.ts';

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
