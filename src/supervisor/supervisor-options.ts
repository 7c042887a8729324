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
  /** Another way to run commands, for tests and far hosts. */
  readonly backend?: Backend | undefined;
  /** Another place for the records of processes, for tests. Default: files in the state directory. */
  readonly records?: RecordStore<ProcessRecord> | undefined;
  /** Puts something between the own backend and its processes: it sees each byte and sets the pace. Not for persistent ones. */
  readonly wrapBackend?: ((backend: Backend) => Backend) | undefined;
};
