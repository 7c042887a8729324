import { toError } from '../config/error-text.ts';
import { TroupeError, type TroupeErrorCode } from '../config/troupe-error.ts';
import { type CliIo, printError } from './cli-io.ts';
import { toErrnoText } from './errno-text.ts';
import { exitCodes } from './exit-codes.ts';
import { toFlagWords } from './flag-words.ts';
import { toPrintable } from './render/printable.ts';

/** Errors that the user can correct in the command line or in a file. */
const usageErrors: readonly TroupeErrorCode[] = ['invalid-option', 'unknown-agent', 'invalid-agent-file'];

/** Prints the error that a verb threw. @returns the exit code. */
export function printFault(error: unknown, io: CliIo): number {
  const { message, stack } = toError(error);
  if (error instanceof TroupeError) {
    printError(io, toFlagWords(message));
    return usageErrors.includes(error.code) ? exitCodes.usage : exitCodes.failed;
  }
  const fileError = describeFileError(error);
  if (fileError !== null) {
    printError(io, fileError);
    return exitCodes.failed;
  }
  printError(io, `internal error: ${message}`, ...(stack ?? '').split('\n').slice(1, 4));
  return exitCodes.fault;
}

/** Names the file that the system refused to open, and why; `null` for every other error. */
export function describeFileError(error: unknown): string | null {
  const { code, path } = toError(error) as NodeJS.ErrnoException;
  const reason = toErrnoText({ code });
  return reason === null || path === undefined ? null : `"${toPrintable(path)}" cannot be opened: ${reason}.`;
}
