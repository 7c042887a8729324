import { quote } from '../config/quote.ts';
import { TroupeError } from '../config/troupe-error.ts';

/** Characters that can name a file on every system and cannot leave a directory. */
const recordId = /^[\w-]{1,64}$/;

export function isRecordId(id: string): boolean {
  return recordId.test(id);
}

/**
 * Returns a valid id.
 *
 * @throws TroupeError `invalid-option` for any other.
 */
export function checkRecordId(id: string): string {
  if (isRecordId(id)) return id;
  const message = `${quote(String(id))} is not an id: an id has 1 to 64 letters, digits, "_" and "-". Pass an id that troupe has returned.`;
  throw new TroupeError({ code: 'invalid-option', message });
}
