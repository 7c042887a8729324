import { toError } from '../config/error-text.ts';
import { toErrnoText } from './refusal.ts';
import { toPrintable } from './render/printable.ts';

/** A sentence with the file that the system refused; `null` where it is no such error, or none of a file. */
export function describeFileError(error: unknown): string | null {
  const { code, path } = toError(error) as NodeJS.ErrnoException;
  const reason = toErrnoText({ code });
  return reason === null || path === undefined ? null : `"${toPrintable(path)}" cannot be opened: ${reason}.`;
}
