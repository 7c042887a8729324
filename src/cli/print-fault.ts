import { toError } from '../config/error-text.ts';
import { TroupeError, type TroupeErrorCode } from '../config/troupe-error.ts';
import { type CliIo, printError } from './cli-io.ts';
import { exitCodes } from './exit-codes.ts';
import { toPrintable } from './render/printable.ts';

/** Errors that the user can correct in the command line or in a file. */
const usageErrors: readonly TroupeErrorCode[] = ['invalid-option', 'unknown-agent', 'invalid-agent-file'];

/** Prints whatever a verb has thrown. @returns the exit code. */
export function printFault(error: unknown, io: CliIo): number {
  const { message, stack } = toError(error);
  if (error instanceof TroupeError) {
    printError(io, message);
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

/** Errors of the file system that the user can correct. */
const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'your disk quota is used up',
  ENOTDIR: 'a part of the path is a file',
  EEXIST: 'a file stands in its place',
  EISDIR: 'a directory stands in its place',
};

/** Says in words why the system refused; `null` for errors that may be a fault of troupe. */
export function toErrnoText({ code = '' }: { readonly code?: string | undefined }): string | null {
  return Object.hasOwn(reasons, code) ? (reasons[code] ?? null) : null;
}
