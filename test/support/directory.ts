import { rmSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { createMemoryRecordStore, type ProcessRecord, type Supervisor } from '../../src/index.ts';
import { openStateDirectory } from '../../src/state-directory/open-state-directory.ts';
import type { StateDirectory } from '../../src/state-directory/state-directory.ts';
import type { RecordStore } from '../../src/store/record-store.ts';
import { tempDir } from './os.ts';
import { createVirtualHarness, turn, type VirtualHarness, type VirtualOptions } from './virtual.ts';

export interface DirectoryOptions extends VirtualOptions {
  /** Keeps records in files of the directory, as a program does; in memory otherwise. */
  readonly recordsIn?: 'memory' | 'files';
}

/** A state directory and its supervisors on scripted processes, each usually after the death of the one before. */
export interface DirectoryHarness {
  readonly path: string;
  /** Returns the path of a file in the directory. */
  readonly file: (name: string) => string;
  /** Records in memory, shared by the supervisors; empty with `recordsIn: 'files'`. */
  readonly records: RecordStore<ProcessRecord>;
  /** Returns a record in memory; throws without one. */
  record(id: string): ProcessRecord;
  /** Creates a supervisor, whose backend can adopt and leave persistent processes. */
  open(options?: VirtualOptions): VirtualHarness;
  /** Leaves what SIGKILL leaves of a supervisor: facts that were not persisted are unknown to the next. */
  crash(supervisor: Supervisor): void;
  /** Looks at the directory without a supervisor. */
  look<T>(action: (state: StateDirectory) => Promise<T>): Promise<T>;
}

/** Opens a directory that is removed at the end of the test; `options` apply to each supervisor of it. */
export function openDirectoryHarness({
  recordsIn = 'memory',
  ...options
}: DirectoryOptions = {}): DirectoryHarness {
  const place = tempDir();
  onTestFinished(async () => {
    await turn();
    place.remove();
  });
  const records = createMemoryRecordStore<ProcessRecord>();
  return {
    path: place.path,
    file: place.file,
    records,
    record: (id) => {
      const record = records.read(id);
      if (record === null) throw new Error(`There is no record of ${id}.`);
      return record;
    },
    open: (more) =>
      createVirtualHarness({
        durable: true,
        stateDirectory: place.path,
        ...(recordsIn === 'memory' && { records }),
        ...options,
        ...more,
      }),
    crash: ({ id }) => rmSync(place.file(`supervisors/${id}.json`), { force: true }),
    look: async (action) => {
      const state = openStateDirectory({ directory: place.path });
      try {
        return await action(state);
      } finally {
        state.close();
      }
    },
  };
}
