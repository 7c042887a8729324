import { isUtf8 } from 'node:buffer';
import { join, resolve, sep } from 'node:path';
import type { Clock } from '../clock/clock.ts';
import { createRealClock } from '../clock/real-clock.ts';
import { toErrorText } from '../config/error-text.ts';
import { type RecordFiles, systemFiles } from './record-files.ts';
import { checkRecordId } from './record-id.ts';
import type { DamagedRecord, LoadOptions, RecordReading, RecordStore } from './record-store.ts';
import { maxRecordBytes, type ParseRecord, parseRecordText, toRecordBytes } from './record-text.ts';
import { removeStaleTemporaryFiles, replaceFile } from './replace-file.ts';

const SCRATCH_BYTES = 16 * 1024;

const recordName = /^([\w-]{1,64})\.json$/;

interface FileRecordStoreOptions<Doc> {
  /** Created by the first save, 0700 like its missing parents. An existing one keeps its mode. */
  readonly directory: string;
  readonly parse: ParseRecord<Doc>;
  readonly clock?: Pick<Clock, 'epochMs'>;
  readonly files?: RecordFiles;
}

/**
 * Stores records in a directory, each in its own file: `<id>.json`, 0600. Files of other users, links and
 * anything that is no file are never read, and files that `load` reports as damaged are never changed. Other
 * files are ignored.
 *
 * `save` writes a temporary file and renames it, without `fsync`: a crash of the machine may cost the newest
 * saves. On ext4 and btrfs an existing record is then the old or the new one; a first save, or any save on
 * other file systems, may leave an empty or truncated file, which `load` reports as damaged.
 *
 * Saving 2 KB takes 0.35 ms on ext4, three quarters of which is flushing before the rename (writing in place
 * takes even longer), and several times that on a busy disk; a first save takes 0.1 ms, in memory 0.05 ms.
 * Loading 1 000 records takes 40 ms.
 */
export function createFileRecordStore<Doc>(options: FileRecordStoreOptions<Doc>): RecordStore<Doc> {
  const { parse, clock = createRealClock(), files = systemFiles } = options;
  const directory = resolve(options.directory);
  // Calling `join` for a thousand names takes a third of the time of reading the files.
  const inside = join(directory, sep);
  const scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);
  const pathOf = (id: string) => `${inside}${checkRecordId(id)}.json`;

  const inspect = (id: string) => readRecordFile({ path: pathOf(id), id, parse, files, scratch });

  return {
    save: (id, record) => {
      const path = pathOf(id);
      replaceFile({ path, bytes: toRecordBytes(record, id), files });
    },
    read: (id) => {
      const reading = inspect(id);
      return reading?.ok === true ? reading.record : null;
    },
    inspect,
    load: ({ leaveOut } = {}) => {
      const names = listOrNothing(directory, files);
      removeStaleTemporaryFiles({ directory, names, files, nowAt: clock.epochMs() });
      const records: Doc[] = [];
      const damaged: DamagedRecord[] = [];
      for (const name of names) {
        const id = recordName.exec(name)?.[1];
        if (id === undefined) continue;
        const path = `${inside}${name}`;
        const reading = readRecordFile({ path, id, parse, files, leaveOut, scratch });
        if (reading?.ok === true) records.push(reading.record);
        else if (reading !== null) damaged.push({ name: path, why: reading.why });
      }
      return { records, damaged };
    },
    remove: (id) => {
      try {
        files.remove(pathOf(id));
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
    },
  };
}

function listOrNothing(directory: string, files: RecordFiles): readonly string[] {
  try {
    return files.list(directory);
  } catch (error) {
    // A file in place of the directory has no records; writing one reports it.
    if (isMissing(error)) return [];
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

/** Bytes passed to `leaveOut`. */
const BEGINNING_BYTES = 80;

interface Place {
  readonly path: string;
  readonly files: RecordFiles;
  readonly leaveOut?: LoadOptions['leaveOut'];
  /** Fits most records, each decoded before the next is read: allocating costs as much as a system call. */
  readonly scratch: Buffer;
}

/** Reads and parses a record; `null` if it does not exist or is left out. Any other problem is a clause. */
function readRecordFile<Doc>(
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

/** Checks and reads the same descriptor, so that the file cannot be exchanged in between. */
function readOpened(file: number, { files, leaveOut, scratch }: Place): Found | null {
  const { kind, isOurs, sizeBytes } = files.inspect(file);
  if (kind !== 'file')
    return damaged(kind === 'directory' ? 'it is a directory' : 'it is not a regular file');
  if (!isOurs) return damaged('another user owns it, so it is not trusted');
  if (sizeBytes > maxRecordBytes) {
    return damaged(`it has ${sizeBytes} bytes, and a record has at most ${maxRecordBytes}`);
  }
  const into = sizeBytes < scratch.byteLength ? scratch : Buffer.allocUnsafe(sizeBytes);
  const bytes = readBytes(file, { sizeBytes, into, files });
  // Decoding and parsing a record takes as long as reading it.
  if (leaveOut?.(bytes.toString('latin1', 0, BEGINNING_BYTES)) === true) return null;
  return isUtf8(bytes) ? { text: bytes.toString() } : damaged('it is not UTF-8');
}

/** Reads fewer bytes if the file was truncated meanwhile. */
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
