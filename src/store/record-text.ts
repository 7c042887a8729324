import { toErrorText } from '../config/error-text.ts';
import { quote } from '../config/quote.ts';
import { TroupeError } from '../config/troupe-error.ts';
import type { RecordReading } from './record-store.ts';

/** Limit for writing and reading. */
export const maxRecordBytes = 16 * 2 ** 20;

/** Parses unknown data; `why` is a clause: `its version is 7; …`. */
export type ParseRecord<Doc> = (value: unknown, id: string) => RecordReading<Doc>;

/**
 * Serializes a record.
 *
 * @throws TypeError for values that JSON cannot represent, TroupeError `invalid-option` beyond the limit for
 * reading.
 */
export function toRecordBytes(record: unknown, id: string): Buffer {
  const bytes = Buffer.from(JSON.stringify(record));
  if (bytes.byteLength <= maxRecordBytes) return bytes;
  const message = `the record of ${id} has ${bytes.byteLength} bytes, and a record may have ${maxRecordBytes}: store large values in a separate file, and its name in the record.`;
  throw new TroupeError({ code: 'invalid-option', message });
}

export function parseRecordText<Doc>(
  text: string,
  { parse, id }: { parse: ParseRecord<Doc>; id: string },
): RecordReading<Doc> {
  if (text === '') return { ok: false, why: 'it is empty' };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // The parser quotes its input, which may reach a terminal.
    return { ok: false, why: `it is not JSON: ${quote(toErrorText(error))}` };
  }
  return parse(value, id);
}
