import type { z } from 'zod';
import type { supervisorOptions } from '../config/supervisor-options.ts';
import type { Backend } from '../spawn/backend.ts';

/** Options of `createSupervisor`; every one has a default. */
export type SupervisorOptions = Omit<z.input<typeof supervisorOptions>, 'backend'> & {
  /** Another way to run commands, for tests and far hosts. */
  readonly backend?: Backend | undefined;
};
