import { dirname } from 'node:path';
import { toErrorText } from '../../config/error-text.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import { redactText } from '../../output/redact.ts';
import { makeDirectory } from '../../store/make-directory.ts';
import { openPrivateFile } from '../../store/private-files.ts';
import type { SpawnRequest } from '../backend.ts';

/** File of a process that could not be opened; `cause` is the system's error. */
export class UnusableFile extends Error {
  readonly path: string;
  constructor(path: string, cause: unknown) {
    super(`${path} cannot be written`, { cause });
    this.path = path;
  }
}

/** Opens a file for appending and creates its directory. @throws UnusableFile where `openPrivateFile` throws. */
export function openForAppending(path: string): number {
  try {
    return openPrivateFile(path, 'append');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw new UnusableFile(path, error);
  }
  try {
    makeDirectory(dirname(path));
    return openPrivateFile(path, 'append');
  } catch (error) {
    throw new UnusableFile(path, error);
  }
}

/** Converts an unusable file to the fact that its command was not started. */
export function toFileFailure({ path, cause }: UnusableFile, { secrets }: SpawnRequest) {
  const { code = null } = cause as NodeJS.ErrnoException;
  // Our own errors already say what to do.
  const remedy = cause instanceof TroupeError ? '' : `. ${remedyOf(code)}`;
  const message = `Its file ${path} cannot be opened: ${toErrorText(cause)}${remedy}`;
  return {
    type: 'process.spawnFailed',
    cause: causeOf(code),
    code,
    message: redactText(message, secrets),
  } as const;
}

function causeOf(code: string | null) {
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return 'no-permission';
  return code === 'EMFILE' || code === 'ENFILE' ? 'too-many-files' : 'other';
}

function remedyOf(code: string | null): string {
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return 'The disk is full: free some space, or give another "stateDirectory".';
    case 'EMFILE':
    case 'ENFILE':
      return 'Too many files are open: end other processes, or raise "ulimit -n".';
    default:
      return 'Give a "stateDirectory" that can be written.';
  }
}
