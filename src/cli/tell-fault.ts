import { toError } from '../config/error-text.ts';
import { TroupeError, type TroupeErrorCode } from '../config/troupe-error.ts';
import { type CliIo, complain } from './cli-io.ts';
import { describeRefusal } from './describe-refusal.ts';
import { exitCodes } from './exit-code.ts';

/** What a person can set right in the command line or in a file. */
const usageErrors: readonly TroupeErrorCode[] = ['invalid-option', 'unknown-agent', 'invalid-agent-file'];

/** Says what went wrong in a verb, whatever was thrown. @returns the exit code. */
export function tellFault(error: unknown, io: CliIo): number {
  const { message, stack } = toError(error);
  if (error instanceof TroupeError) {
    complain(io, message);
    return usageErrors.includes(error.code) ? exitCodes.usage : exitCodes.failed;
  }
  const refusal = describeRefusal(error);
  if (refusal !== null) {
    complain(io, refusal);
    return exitCodes.failed;
  }
  complain(io, `a fault of troupe itself: ${message}`, ...(stack ?? '').split('\n').slice(1, 4));
  return exitCodes.fault;
}
