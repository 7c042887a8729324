import { toError } from '../config/error-text.ts';
import { TroupeError, type TroupeErrorCode } from '../config/troupe-error.ts';
import { type CliIo, printError } from './cli-io.ts';
import { describeFileError } from './describe-refusal.ts';
import { exitCodes } from './exit-code.ts';

/** What a person can set right in the command line or in a file. */
const usageErrors: readonly TroupeErrorCode[] = ['invalid-option', 'unknown-agent', 'invalid-agent-file'];

/** Says what went wrong in a verb, whatever was thrown. @returns the exit code. */
export function printFault(error: unknown, io: CliIo): number {
  const { message, stack } = toError(error);
  if (error instanceof TroupeError) {
    printError(io, message);
    return usageErrors.includes(error.code) ? exitCodes.usage : exitCodes.failed;
  }
  const refusal = describeFileError(error);
  if (refusal !== null) {
    printError(io, refusal);
    return exitCodes.failed;
  }
  printError(io, `a fault of troupe itself: ${message}`, ...(stack ?? '').split('\n').slice(1, 4));
  return exitCodes.fault;
}
