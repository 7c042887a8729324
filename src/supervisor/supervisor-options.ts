import type { z } from 'zod';
import type { supervisorOptions } from '../config/supervisor-options.ts';
import type { ProcessRecord } from '../process/process-record.ts';
import type { Backend } from '../spawn/backend.ts';
import type { RecordStore } from '../store/record-store.ts';

/** Options of `createSupervisor`; every one has a default. */
export type SupervisorOptions = Omit<
  z.input<typeof supervisorOptions>,
  'backend' | 'wrapBackend' | 'records'
> & {
  /** Runs commands in another way, for tests and remote hosts. */
  readonly backend?: Backend | undefined;
  /** Stores the records of processes, for tests. Default: files in the state directory. */
  readonly records?: RecordStore<ProcessRecord> | undefined;
  /** Wraps the built-in backend, for example to see or slow down all output. Persistent processes are not wrapped. */
  readonly wrapBackend?: ((backend: Backend) => Backend) | undefined;
};
