import { quote } from '../config/quote.ts';
import { TroupeError } from '../config/troupe-error.ts';

/** What an id may be, so that it can name a file on every system and leads out of no directory. */
const recordId = /^[\w-]{1,64}$/;

export function isRecordId(id: string): boolean {
  return recordId.test(id);
}

/** @throws TroupeError `invalid-option` for what is no id. */
export function checkRecordId(id: string): string {
  if (isRecordId(id)) return id;
  const message = `${quote(String(id))} is no id: an id has 1 to 64 letters, digits, "_" and "-". Take it as it was given out.`;
  throw new TroupeError({ code: 'invalid-option', message });
}
