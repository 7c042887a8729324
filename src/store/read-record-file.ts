import { isUtf8 } from 'node:buffer';
import { toErrorText } from '../config/error-text.ts';
import type { RecordFiles } from './record-files.ts';
import type { LoadOptions } from './record-store.ts';
import { maxRecordBytes, type ParseRecord, parseRecordText, type RecordReading } from './record-text.ts';

/** What `leaveOut` is told. */
const BEGINNING_BYTES = 80;

interface Place {
  readonly path: string;
  readonly files: RecordFiles;
  readonly leaveOut?: LoadOptions['leaveOut'];
  /** Most records fit in, and each is decoded before the next is read: memory for each costs as much as a call to the system. */
  readonly scratch: Buffer;
}

/** `null` where there is none, or it is left out. Whatever else is wrong is a clause. */
export function readRecordFile<Doc>(
  place: Place & { readonly id: string; readonly parse: ParseRecord<Doc> },
): RecordReading<Doc> | null {
  const found = readText(place);
  if (found === null || 'why' in found) return found;
  return parseRecordText(found.text, place);
}

type Found = { readonly text: string } | { readonly ok: false; readonly why: string };

function readText(place: Place): Found | null {
  const { path, files } = place;
  let file: number;
  try {
    file = files.open(path);
  } catch (error) {
    return toWhyNotOpened(error);
  }
  try {
    return readOpened(file, place);
  } catch (error) {
    return unreadable(error);
  } finally {
    files.close(file);
  }
}

/** What was opened is what is judged and read: nobody can put something else in between. */
function readOpened(file: number, { files, leaveOut, scratch }: Place): Found | null {
  const { kind, isOurs, sizeBytes } = files.inspect(file);
  if (kind !== 'file') return damaged(kind === 'directory' ? 'it is a directory' : 'it is no file');
  if (!isOurs) return damaged('another user owns it, so it is not trusted');
  if (sizeBytes > maxRecordBytes) {
    return damaged(`it has ${sizeBytes} bytes, and a record has at most ${maxRecordBytes}`);
  }
  const into = sizeBytes < scratch.byteLength ? scratch : Buffer.allocUnsafe(sizeBytes);
  const bytes = readBytes(file, { sizeBytes, into, files });
  // To decode and to parse a record takes as long as to read it.
  if (leaveOut?.(bytes.toString('latin1', 0, BEGINNING_BYTES)) === true) return null;
  return isUtf8(bytes) ? { text: bytes.toString() } : damaged('it is no UTF-8');
}

/** Fewer where the file became shorter. */
function readBytes(
  file: number,
  { sizeBytes, into, files }: { sizeBytes: number; into: Buffer; files: RecordFiles },
): Buffer {
  let length = 0;
  while (length < sizeBytes) {
    const count = files.read(file, length === 0 ? into : into.subarray(length));
    if (count === 0) break;
    length += count;
  }
  return into.subarray(0, length);
}

function toWhyNotOpened(error: unknown): Found | null {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return null;
  if (code === 'ELOOP') return damaged('it is a symbolic link, and links are not followed');
  return unreadable(error);
}

function unreadable(error: unknown): Found {
  return damaged(`it cannot be read: ${toErrorText(error)}`);
}

function damaged(why: string): Found {
  return { ok: false, why };
}
