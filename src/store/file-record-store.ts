import { join, resolve, sep } from 'node:path';
import type { Clock } from '../clock/clock.ts';
import { createRealClock } from '../clock/real-clock.ts';
import { readRecordFile } from './read-record-file.ts';
import { type RecordFiles, systemFiles } from './record-files.ts';
import { checkRecordId } from './record-id.ts';
import type { DamagedRecord, RecordStore } from './record-store.ts';
import { type ParseRecord, toRecordBytes } from './record-text.ts';
import { removeOldDrafts } from './remove-old-drafts.ts';
import { replaceFile } from './replace-file.ts';

const SCRATCH_BYTES = 16 * 1024;

const recordName = /^([\w-]{1,64})\.json$/;

export interface FileRecordStoreOptions<Doc> {
  /** Made at the first save, 0700 like those above it that are missing. One that is there keeps its mode. */
  readonly directory: string;
  readonly parse: ParseRecord<Doc>;
  readonly clock?: Pick<Clock, 'epochMs'>;
  readonly files?: RecordFiles;
}

/**
 * Records in a directory, each in a file of its own: `<id>.json`, 0600. A file that somebody else owns, a link, or what is not a
 * file is never read, and nothing that `load` tells as damaged is touched. Other files in the directory are left alone.
 *
 * `save` writes another file and renames it, without `fsync`: a crash of the machine may cost the newest saves. On ext4 and btrfs a
 * record that was there before is then the old or the new one; a first save, and any on other file systems, may leave an empty or
 * cut-off file, which `load` tells as damaged.
 *
 * 2 KB take 0.35 ms on ext4, three quarters of it because the bytes go out before the rename (writing in place is dearer still),
 * and several times that while others keep the disk busy; 0.1 ms for a first save; 0.05 ms in memory. Loading 1 000 takes 40 ms.
 */
export function createFileRecordStore<Doc>(options: FileRecordStoreOptions<Doc>): RecordStore<Doc> {
  const { parse, clock = createRealClock(), files = systemFiles } = options;
  const directory = resolve(options.directory);
  // What `join` takes for a thousand names is a third of what it takes to read the files.
  const inside = join(directory, sep);
  const scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);
  const pathOf = (id: string) => `${inside}${checkRecordId(id)}.json`;

  return {
    save: (id, record) => {
      const path = pathOf(id);
      replaceFile({ path, bytes: toRecordBytes(record, id), files });
    },
    read: (id) => {
      const reading = readRecordFile({ path: pathOf(id), id, parse, files, scratch });
      return reading?.ok === true ? reading.record : null;
    },
    load: ({ leaveOut } = {}) => {
      const names = listOrNothing(directory, files);
      removeOldDrafts({ directory, names, files, nowAt: clock.epochMs() });
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
    // A file that stands where a directory should be has no records in it; whoever writes one is told.
    if (isMissing(error)) return [];
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
